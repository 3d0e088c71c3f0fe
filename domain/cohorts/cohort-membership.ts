import type { Decision } from '../decisions/decision.ts';
import { isPublic } from '../decisions/visibility.ts';
import { type CohortFilter, evaluatedUntil } from './cohort-filter.ts';

/** The filters that a record matches by an equal value in the field of that name. */
export const EQUALITY_FILTERS = [
  'market',
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'cohort_key',
  'direction',
  'analysis_class',
  'perspective_type',
  'horizon_kind',
  'horizon_value',
  'result_bucket',
] as const satisfies readonly (keyof CohortFilter)[];

type Judged = Pick<
  Decision,
  (typeof EQUALITY_FILTERS)[number] | 'lifecycle_state' | 'submission_origin' | 'data_cutoff' | 'evaluated_at'
>;

/** Whether a record belongs to the cohort at this moment (settled.md section 6). */
export function belongsTo(filter: CohortFilter, record: Judged): boolean {
  const { data_cutoff_since: since, data_cutoff_until: until, include_retroactive } = filter;
  const evaluated_until = evaluatedUntil(filter);
  const { data_cutoff, evaluated_at, submission_origin } = record;
  return (
    isPublic(record) &&
    (include_retroactive || submission_origin === 'realtime') &&
    EQUALITY_FILTERS.every((field) => filter[field] === undefined || filter[field] === record[field]) &&
    (since === undefined || data_cutoff >= since) &&
    (until === undefined || data_cutoff < until) &&
    (evaluated_until === undefined || (evaluated_at !== null && evaluated_at <= evaluated_until))
  );
}
