import type { LeftOutCounts } from '../decisions/ungraded.ts';
import { COHORT } from '../limits.ts';
import type { CohortFilter } from './cohort-filter.ts';
import type { CohortCounts, OwnerProof } from './cohort-reader.ts';
import type { UngradedCohort } from './ungraded-cohort.ts';

/** What a cohort needs before it is shown (settled.md section 6); with 1 producer there is nothing to protect. */
export interface Thresholds {
  readonly minProducers: number;
  readonly minSamples: number;
}

/** The thresholds and the owners that count for them. */
export interface CohortRules extends Thresholds {
  readonly ownerProof: OwnerProof;
}

/**
 * Why a cohort is withheld. `narrowed_too_far`: the whole cohort would be shown, and there are enough records, but the
 * part that `result_bucket`, `method`, `grid` and the time bounds select may have too few producers. Whether it has is not revealed.
 */
export const SUPPRESSION_REASONS = ['too_few_samples', 'too_few_producers', 'narrowed_too_far'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/** The basis of a judgement: sizes, which are public, and whether there are enough producers. */
interface CountsToJudge {
  readonly result: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
  /** `wholeCohort` of the same cohort. */
  readonly whole: Pick<CohortCounts, 'samples' | 'enoughProducers'>;
}

/** The rule of settled.md section 6, for the result and for its `wholeCohort`. */
export function reasonToWithhold(
  { result, whole }: CountsToJudge,
  { minSamples }: Thresholds,
): SuppressionReason | null {
  if (result.samples < minSamples) return 'too_few_samples';
  if (!whole.enoughProducers) return 'too_few_producers';
  return result.enoughProducers ? null : 'narrowed_too_far';
}

/**
 * The reason in words, for the reader of the reply. It follows from the reason and the rules alone, so it reveals
 * nothing more.
 */
export function suppressionMessage(reason: SuppressionReason, rules: CohortRules): string {
  const { minProducers, minSamples, ownerProof } = rules;
  const part = partThresholds(rules);
  const owners = ownerProof === 'verified' ? 'owners with a verified identity' : 'owners';
  switch (reason) {
    case 'too_few_samples':
      return `Fewer than ${minSamples} records match the query.`;
    case 'too_few_producers':
      return `Without result_bucket, method, grid and time bounds, the records that match have fewer than ${minProducers} ${owners}.`;
    case 'narrowed_too_far':
      return (
        `The cohort has enough records and ${owners}, and enough records match. But result_bucket, method, grid, ` +
        'data_cutoff_since, data_cutoff_until or as_of selects only a part of it. Such a part is shown if it contains a whole UTC year, ' +
        `month or day of the cohort with at least ${part.minSamples} records and ${part.minProducers} ${owners}, and the rest of the cohort is empty ` +
        `or has at least ${part.minSamples} records. Otherwise similar queries could show which records have the same ` +
        `owner. Whether this part has enough ${owners} is not revealed. Widen the times to whole months or years, or ` +
        'leave these parameters out.'
      );
  }
}

/**
 * Whether a result is smaller than its whole cohort while producers are protected, so that it has to contain a part
 * that may be judged (`mayBeJudged`). Without that rule, windows that differ by one record would reveal, one by one,
 * who made them.
 */
export function needsSurePart({ result, whole }: CountsToJudge, { minProducers }: Thresholds): boolean {
  return minProducers > 1 && result.samples < whole.samples;
}

/**
 * The thresholds of a part: those of its cohort, but at least the contract's own numbers, since a refusal reveals more
 * about each record the fewer producers it is about; and at least two records per producer.
 */
export function partThresholds({ minProducers, minSamples }: Thresholds): Thresholds {
  const producers = Math.max(minProducers, COHORT.minProducers);
  return { minProducers: producers, minSamples: Math.max(minSamples, COHORT.minSamples, 2 * producers) };
}

/**
 * Whether a part is large enough, and different enough from its whole cohort, for its producers to be checked: the rest
 * of the cohort is empty, or has as many records as a part needs. This depends on public facts only.
 */
export function mayBeJudged(part: number, whole: number, { minSamples }: Thresholds): boolean {
  return part >= minSamples && (part === whole || whole - part >= minSamples);
}

/**
 * The ungraded counts that a shown cohort may show (evaluation-2.md section 5): those of enough owners and records, by
 * the thresholds of a part of a cohort; null otherwise. With 1 producer there is nothing to protect.
 * @param ungraded with `partThresholds` as the requested number of owners
 */
export function shownUngraded({ counts, enoughProducers }: UngradedCohort, rules: Thresholds): LeftOutCounts | null {
  if (rules.minProducers <= 1) return counts;
  const { rejected, suspected, wrong_security = 0, data_unavailable } = counts;
  const samples = data_unavailable.reduce((sum, { total }) => sum + total, rejected + suspected + wrong_security);
  return samples >= partThresholds(rules).minSamples && enoughProducers ? counts : null;
}

/** The filter narrowed to one period, with its other bounds. */
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
