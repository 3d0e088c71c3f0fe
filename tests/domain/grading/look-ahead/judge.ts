import { DIRECTIONS } from '../../../../domain/decisions/call.ts';
import type { PlayedOutcome } from './play.ts';

/**
 * How far the outcomes of an agent are above what its windows gave the directions that it said, in standard errors: its
 * strong_correct against the `had_said` of its own windows, each direction as often as it said it.
 */
export function aboveHadSaid(outcomes: readonly PlayedOutcome[]): number {
  const said = DIRECTIONS.map((direction) => {
    const share = outcomes.filter((each) => each.direction === direction).length / outcomes.length;
    return { direction, share };
  });
  const differences = outcomes.map(({ direction, hadSaid }) => {
    const strong = said.filter((each) => hadSaid[each.direction] === 'strong_correct');
    const expected = strong.reduce((sum, { share }) => sum + share, 0);
    return Number(hadSaid[direction] === 'strong_correct') - expected;
  });
  return standardised(differences);
}

/** How far its strong_correct are above a quarter, in standard errors: a window that favours its direction. */
export function aboveQuarter(outcomes: readonly PlayedOutcome[]): number {
  const strong = outcomes.filter(({ direction, hadSaid }) => hadSaid[direction] === 'strong_correct').length;
  const n = outcomes.length;
  return n === 0 ? 0 : (strong / n - 0.25) / Math.sqrt((0.25 * 0.75) / n);
}

/** The mean over its standard error; 0 when nothing varies. */
function standardised(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return squares === 0 ? 0 : mean / Math.sqrt(squares / values.length / (values.length - 1));
}
