import { ask, refusalWords } from './ask.ts';
import { fill, h } from './elements.ts';
import { instant } from './value-texts.ts';
import type { CircuitFacts } from './wire.ts';

const MEANINGS: Readonly<Record<CircuitFacts['state'], string>> = {
  normal: 'Calls quoted in it count with those in dollars.',
  warming: 'It has held its peg for a day; calls quoted in it are still kept apart until an operator has looked.',
  tripped: 'It left its peg: calls quoted in it are taken in and kept apart from those in dollars.',
};

/** What the service thinks of the stablecoins, and from what. */
export async function showCircuits(box: HTMLElement): Promise<void> {
  try {
    const circuits = await ask<readonly CircuitFacts[]>('/api/v1/public/stablecoin');
    fill(box, ...circuits.map(circuitCard));
  } catch (error) {
    fill(box, h('p', { class: 'notice' }, `The state of the stablecoins cannot be read now. ${refusalWords(error)}`));
  }
}

function circuitCard({ coin, state, since, peg }: CircuitFacts): HTMLElement {
  const observed = peg
    ? `Last seen at ${peg.price.toFixed(4)} USD, ${peg.drift_bps.toFixed(1)} basis points from par, ${instant(peg.observed_at)}.`
    : 'Not observed yet.';
  return h(
    'article',
    { class: 'circuit', 'data-state': state },
    h('h3', {}, coin, h('span', { class: 'state' }, state)),
    h('p', {}, MEANINGS[state]),
    h('p', { class: 'soft' }, `${observed}${since ? ` ${state} since ${instant(since)}.` : ''}`),
  );
}
