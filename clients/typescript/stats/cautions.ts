import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import type { Schemas } from '../client/wire.ts';

/** Why the counts of a cohort show less than their number (docs/cohorts.md, "Reading one without fooling yourself"). */
export type Caution =
  /** Nothing is shown: `suppression` has the reason. */
  | 'withheld'
  /** Some decisions were made when their outcome could be known. */
  | 'retroactive'
  /** Windows overlap, so that one move of the market is counted more than once. */
  | 'overlapping'
  /** Whether windows overlap is not shown. */
  | 'overlap_unknown'
  /** One owner made more than about a third of the decisions. */
  | 'one_owner'
  /** Whether one owner made most decisions is not shown. */
  | 'owners_unknown'
  /** The results are those of one direction in all windows: the cohort shows the market, not a choice. */
  | 'one_direction'
  /** What the market alone gave is not shown. */
  | 'no_comparison'
  /** Some decisions ended without a grade. */
  | 'ungraded'
  /** Whether decisions ended without a grade is not shown. */
  | 'ungraded_unknown';

/** Those that hold for an overview of a cohort. An empty array does not make counts into odds. */
export function cautionsOf(overview: Schemas['CohortOverview']): readonly Caution[] {
  const { sample_count, retroactive_count, windows, largest_owner_share, had_said, ungraded } = overview;
  if (sample_count === null) return ['withheld'];
  const cautions: readonly (readonly [Caution, boolean])[] = [
    ['retroactive', (retroactive_count ?? 0) > 0],
    ['overlapping', windows !== null && windows.disjoint < sample_count],
    ['overlap_unknown', windows === null],
    ['one_owner', largest_owner_share === 'more'],
    ['owners_unknown', largest_owner_share === null],
    ['one_direction', isOfOneDirection(overview)],
    ['no_comparison', had_said === null],
    ['ungraded', ungraded !== null && countOf(ungraded) > 0],
    ['ungraded_unknown', ungraded === null],
  ];
  return cautions.flatMap(([caution, holds]) => (holds ? [caution] : []));
}

function isOfOneDirection({ result_distribution, had_said }: Schemas['CohortOverview']): boolean {
  if (result_distribution === null || had_said === null) return false;
  return DIRECTIONS.some((direction) =>
    RESULT_BUCKETS.every((bucket) => had_said[direction][bucket] === result_distribution[bucket]),
  );
}

/** A server of an earlier release does not count suspected ones. */
function countOf({ rejected, data_unavailable, suspected, wrong_security = 0 }: Schemas['LeftOutCounts']): number {
  return data_unavailable.reduce((sum, { total }) => sum + total, rejected + (suspected || 0) + wrong_security);
}
