import type { CircuitFacts } from '../kit/wire.ts';

const MEANINGS: Readonly<Record<CircuitFacts['state'], string>> = {
  normal: 'Decisions quoted in it count with those in dollars.',
  warming:
    'It has held its peg for a day; decisions quoted in it are still counted separately until an operator resolves it.',
  tripped:
    'It left its peg, or an operator tripped it: decisions quoted in it are counted separately from those in dollars.',
};

/** The badge of a coin and what it means. Without a price nothing is known about a peg that nobody has tripped. */
export function circuitWords({ state, peg }: Pick<CircuitFacts, 'state' | 'peg'>) {
  if (state !== 'normal' || peg) return { badge: state, meaning: MEANINGS[state] };
  return {
    badge: 'no price yet',
    meaning:
      'Whether it holds its peg is not known. Until it is tripped, decisions quoted in it count with those in dollars.',
  };
}
