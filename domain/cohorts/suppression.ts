import { COHORT } from '../limits.ts';
import type { CohortFilter } from './cohort-filter.ts';
import type { CohortCounts } from './cohort-reader.ts';

/** What a cohort needs before it is shown (settled.md section 6); with 1 producer there is nothing to protect. */
export interface Thresholds {
  readonly minProducers: number;
  readonly minSamples: number;
}

/**
 * Why a cohort is withheld. `narrowed_too_far`: the whole cohort would be shown, and there are records enough, but what
 * `result_bucket` and the time bounds leave of it may be too few producers'. Whether it is, is not told.
 */
export const SUPPRESSION_REASONS = ['too_few_samples', 'too_few_producers', 'narrowed_too_far'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** What a judgement rests on: sizes, which are public, and whether the producers are enough. */
interface CountsToJudge {
  readonly result: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
  /** The same cohort without `result_bucket` and time bounds. */
  readonly whole: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
}

/** The rule of settled.md section 6, for the result and for the same cohort without `result_bucket` and time bounds. */
export function reasonToWithhold(
  { result, whole }: CountsToJudge,
  { minSamples }: Thresholds,
): SuppressionReason | null {
  if (result.samples < minSamples) return 'too_few_samples';
  if (!whole.enoughProducers) return 'too_few_producers';
  return result.enoughProducers ? null : 'narrowed_too_far';
}

/**
 * Whether a result is less than its whole cohort while producers are protected, so that it has to hold a part that may
 * be judged (`mayBeJudged`). Without that, windows that differ by one record would tell, one by one, whose they are.
 */
export function needsSurePart({ result, whole }: CountsToJudge, { minProducers }: Thresholds): boolean {
  return minProducers > 1 && result.samples < whole.samples;
}

/**
 * What a part needs: what its cohort does, yet never less than the contract's own numbers, since a refusal says the more
 * of each record the fewer producers it is about; and two records for each producer.
 */
export function partThresholds({ minProducers, minSamples }: Thresholds): Thresholds {
  const producers = Math.max(minProducers, COHORT.minProducers);
  return { minProducers: producers, minSamples: Math.max(minSamples, COHORT.minSamples, 2 * producers) };
}

/**
 * Whether a part is so large, and so far from its whole cohort, that the producers of it may be looked at: what is left
 * out is nothing, or as many records as a part needs. It rests on public facts alone.
 */
export function mayBeJudged(part: number, whole: number, { minSamples }: Thresholds): boolean {
  return part >= minSamples && (part === whole || whole - part >= minSamples);
}

/** The filter within one period, its other bounds kept. */
export function inPeriod(filter: CohortFilter, { since, until }: { readonly since?: Date; readonly until?: Date }) {
  const later = latestOf(filter.data_cutoff_since, since);
  const earlier = earliestOf(filter.data_cutoff_until, until);
  return {
    ...filter,
    ...(later ? { data_cutoff_since: later } : {}),
    ...(earlier ? { data_cutoff_until: earlier } : {}),
  };
}

function latestOf(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a > b ? a : b) : (a ?? b);
}

function earliestOf(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a && b ? (a < b ? a : b) : (a ?? b);
}
