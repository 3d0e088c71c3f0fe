import { ask, refusalWords } from './ask.ts';
import { fill, h } from './elements.ts';
import { instant } from './value-texts.ts';
import type { CircuitFacts } from './wire.ts';

const MEANINGS: Readonly<Record<CircuitFacts['state'], string>> = {
  normal: 'Decisions quoted in it count with those in dollars.',
  warming:
    'It has held its peg for a day; decisions quoted in it are still counted separately until an operator resolves it.',
  tripped: 'It left its peg: decisions quoted in it are counted separately from those in dollars.',
};

/** Shows the state of the stablecoins and the observations behind it. */
export async function showCircuits(box: HTMLElement): Promise<void> {
  try {
    const circuits = await ask<readonly CircuitFacts[]>('/api/v1/public/stablecoin');
    fill(box, ...circuits.map(circuitCard));
  } catch (error) {
    fill(box, h('p', { class: 'notice' }, `The state of the stablecoins is not available now. ${refusalWords(error)}`));
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
