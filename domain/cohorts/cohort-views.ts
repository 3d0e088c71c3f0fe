import type { WindowCounts } from '../decisions/own/window-counts.ts';
import type { LeftOutCounts } from '../decisions/ungraded.ts';
import type { CohortFilter } from './cohort-filter.ts';
import type { CohortCounts } from './cohort-reader.ts';
import type { OwnerShare } from './owner-share.ts';
import { type CohortRules, type SuppressionReason, suppressionMessage } from './suppression.ts';

/** Counts of a cohort (interface.md 2.2, settled.md section 6); all null when they are withheld. */
export interface Overview {
  readonly sample_count: number | null;
  readonly retroactive_count: number | null;
  readonly result_distribution: CohortCounts['buckets'] | null;
  /**
   * By the bucket that each direction would have got (evaluation-2.md section 4); null also under a `result_bucket`
   * filter, and until the records of an earlier release are counted.
   */
  readonly had_said: CohortCounts['had_said'];
  /** Of data_cutoff. */
  readonly time_range: { readonly earliest: Date; readonly latest: Date } | null;
  /** How much the records overlap; also null for more than COHORT.mostWindows records, and in seeds of the atlas. */
  readonly windows: WindowCounts | null;
  /** Of the owner with the most records, near enough (docs/cohorts.md); null where `shareSize` is, and in seeds. */
  readonly largest_owner_share: OwnerShare | null;
  /** Records without an outcome; null unless `shownUngraded` returns them, and in seeds of the atlas. */
  readonly ungraded: LeftOutCounts | null;
  readonly suppression: {
    readonly applied: boolean;
    readonly reason: SuppressionReason | null;
    /** The reason in words. */
    readonly message: string | null;
    readonly min_producers: number;
    readonly min_samples: number;
  };
}

/** What an overview shows that is read from the records themselves. */
export type RecordFacts = Pick<Overview, 'windows' | 'largest_owner_share' | 'ungraded'>;

export const NO_RECORD_FACTS: RecordFacts = { windows: null, largest_owner_share: null, ungraded: null };

/**
 * A withheld cohort shows no count (settled.md section 6).
 * @param facts of the same cohort
 */
export function overviewOf(
  { result_bucket }: Pick<CohortFilter, 'result_bucket'>,
  counts: CohortCounts,
  reason: SuppressionReason | null,
  rules: CohortRules,
  facts: RecordFacts,
): Overview {
  const least = { min_producers: rules.minProducers, min_samples: rules.minSamples };
  if (reason !== null) {
    return {
      ...NOTHING,
      suppression: { applied: true, reason, message: suppressionMessage(reason, rules), ...least },
    };
  }
  const { samples, retroactive, buckets, had_said, earliest, latest } = counts;
  return {
    sample_count: samples,
    retroactive_count: retroactive,
    result_distribution: buckets,
    had_said: result_bucket === undefined ? had_said : null,
    time_range: earliest && latest ? { earliest, latest } : null,
    ...facts,
    suppression: { applied: false, reason: null, message: null, ...least },
  };
}

const NOTHING = {
  sample_count: null,
  retroactive_count: null,
  result_distribution: null,
  had_said: null,
  time_range: null,
  ...NO_RECORD_FACTS,
} as const;
