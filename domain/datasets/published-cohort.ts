import type { CohortFilter } from '../cohorts/cohort-filter.ts';
import { reasonToWithhold, type Thresholds } from '../cohorts/suppression.ts';
import type { CoarseOutcome, DatasetCohort } from './dataset-row.ts';

/** A cohort as a dataset counts it. */
export interface TalliedCohort {
  readonly cohort: DatasetCohort;
  readonly samples: number;
  /** Whether at least the required number of owners that count made them. */
  readonly enoughProducers: boolean;
  /** Its records, by what is alike in them. */
  readonly alike: readonly { readonly outcome: CoarseOutcome; readonly records: number }[];
}

/**
 * Whether a dataset has the rows of a cohort: exactly where a query for the whole cohort shows it at that moment. So each
 * dataset reveals what the replies to these queries reveal, and nothing more.
 */
export function isPublished(tally: Pick<TalliedCohort, 'samples' | 'enoughProducers'>, rules: Thresholds): boolean {
  return reasonToWithhold({ result: tally, whole: tally }, rules) === null;
}

/** The query that shows the cohort. */
export function filterOf(
  { market, symbol, venue, ...rest }: DatasetCohort,
  include_retroactive: boolean,
): CohortFilter {
  const { asset_class, quote_currency, direction, horizon_kind, horizon_value } = rest;
  return {
    ...{ market, symbol, venue, asset_class, quote_currency },
    ...{ direction, horizon_kind, horizon_value, include_retroactive },
  };
}
