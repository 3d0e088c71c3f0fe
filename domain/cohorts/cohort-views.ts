import type { CohortCounts } from './cohort-reader.ts';
import { type CohortRules, type SuppressionReason, suppressionMessage } from './suppression.ts';

/** Counts of a cohort (interface.md 2.2, settled.md section 6); all null when they are withheld. */
export interface Overview {
  readonly sample_count: number | null;
  readonly retroactive_count: number | null;
  readonly result_distribution: CohortCounts['buckets'] | null;
  /** Of data_cutoff. */
  readonly time_range: { readonly earliest: Date; readonly latest: Date } | null;
  readonly suppression: {
    readonly applied: boolean;
    readonly reason: SuppressionReason | null;
    /** The reason in words. */
    readonly message: string | null;
    readonly min_producers: number;
    readonly min_samples: number;
  };
}

/** A withheld cohort shows no count (settled.md section 6). */
export function overviewOf(counts: CohortCounts, reason: SuppressionReason | null, rules: CohortRules): Overview {
  const least = { min_producers: rules.minProducers, min_samples: rules.minSamples };
  if (reason !== null) {
    const nothing = { sample_count: null, retroactive_count: null, result_distribution: null, time_range: null };
    return {
      ...nothing,
      suppression: { applied: true, reason, message: suppressionMessage(reason, rules), ...least },
    };
  }
  const { samples, retroactive, buckets, earliest, latest } = counts;
  return {
    sample_count: samples,
    retroactive_count: retroactive,
    result_distribution: buckets,
    time_range: earliest && latest ? { earliest, latest } : null,
    suppression: { applied: false, reason: null, message: null, ...least },
  };
}
