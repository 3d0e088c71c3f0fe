import { ask } from '../kit/ask.ts';
import { h } from '../kit/elements.ts';
import { showReading } from '../kit/states.ts';
import { instant } from '../kit/value-texts.ts';
import type { CircuitFacts } from '../kit/wire.ts';
import { circuitWords } from './circuit-words.ts';

/** Shows the state of the stablecoins and the observations behind it, once. */
export function showCircuits(box: HTMLElement, signal: AbortSignal): void {
  if (box.querySelector('.circuit') !== null) return;
  void showReading(box, signal, {
    what: 'the state of the stablecoins',
    read: () => ask<readonly CircuitFacts[]>('/api/v1/public/stablecoin', { signal }),
    show: (circuits) => circuits.map(circuitCard),
  });
}

function circuitCard({ coin, state, since, peg }: CircuitFacts): HTMLElement {
  const { badge, meaning } = circuitWords({ state, peg });
  const observed = peg
    ? `Last seen at ${peg.price.toFixed(4)} USD, ${peg.drift_bps.toFixed(1)} basis points from par, ${instant(peg.observed_at)}.`
    : 'No two sources have reported its price yet.';
  return h(
    'article',
    { class: 'circuit', 'data-state': state },
    h('h3', {}, coin, h('span', { class: 'state' }, badge)),
    h('p', {}, meaning),
    h('p', { class: 'soft' }, `${observed}${since ? ` ${state} since ${instant(since)}.` : ''}`),
  );
}
