import { COHORT } from '../limits.ts';
import type { CohortFilter } from './cohort-filter.ts';

/** How much of a cohort the owner with the most records has (evaluation-2.md section 5). */
export const OWNER_SHARES = ['up_to_a_third', 'more'] as const;
export type OwnerShare = (typeof OWNER_SHARES)[number];

/** The owner with the most records of a sample. Who it is, is not returned. */
export interface LargestOwner {
  readonly records: number;
  /** Equal for equal sets of records and different for different ones; opaque. */
  readonly sample: string;
}

/**
 * Of how many records of a result the share is computed: the first so many that were graded; null where no share is
 * shown. That is for a cohort that is narrowed by anything but what its decisions are about, of fewer records than
 * three times the minimum, or of more than are counted (docs/cohorts.md).
 * @param samples the records of the result
 * @param minSamples the minimum of records of the cohort rules
 */
export function shareSize(filter: CohortFilter, samples: number, minSamples: number): number | null {
  const least = COHORT.shareOfMinimum * minSamples;
  if (!isWhole(filter) || samples < least || samples > COHORT.mostWindows) return null;
  let size = least;
  for (let next = size; next <= samples; next = Math.max(size + LEAST_STEP, Math.floor(size * GROWTH))) size = next;
  return size;
}

/** A size is a quarter larger than the one before, and larger by at least so many records. */
const GROWTH = 1.25;
const LEAST_STEP = 7;

/** By what is allowed: a filter that is added later has no share. */
function isWhole(filter: CohortFilter): boolean {
  return Object.keys(filter).every((name) => WHOLE.has(name));
}

const WHOLE: ReadonlySet<string> = new Set<keyof CohortFilter>([
  ...(['market', 'symbol', 'venue', 'asset_class', 'quote_currency', 'cohort_key'] as const),
  ...(['direction', 'analysis_class', 'horizon_kind', 'horizon_value', 'include_retroactive'] as const),
]);

/**
 * The share to show of the largest owner.
 * @param largest the records of the sample that the owner with the most has
 * @param size the records of the sample
 * @param lean at least -1 and below 1: follows from the sample and a secret. So two samples that differ by one record do
 * not show whether that record belongs to the largest owner.
 */
export function ownerShare(largest: number, size: number, lean: number): OwnerShare {
  return largest - size / 3 > lean * shareMargin(size) ? 'more' : 'up_to_a_third';
}

/** The largest owner with so many records more or fewer than a third is shown as what it is: 3 of 30, 12 of 300. */
export function shareMargin(size: number): number {
  return 2 + size / 30;
}
