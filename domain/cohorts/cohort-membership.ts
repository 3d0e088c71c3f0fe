import { type Decision, isFurtherHorizon } from '../decisions/decision.ts';
import { isPublic } from '../decisions/visibility.ts';
import type { Grid } from '../grading/grid.ts';
import { type CohortFilter, countsFurther, evaluatedUntil } from './cohort-filter.ts';
import { countedAs } from './counted-as.ts';

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
  'method',
  'grid',
] as const satisfies readonly (keyof CohortFilter)[];

interface Judged
  extends Pick<
    Decision,
    | Exclude<(typeof EQUALITY_FILTERS)[number], 'grid'>
    | 'lifecycle_state'
    | 'submission_origin'
    | 'data_cutoff'
    | 'evaluated_at'
    | 'facts'
    | 'group_place'
    | 'wrong_security'
  > {
  /** By the facts as others see them (`publicGrid`). */
  readonly grid: Grid | null;
}

/** Whether a record belongs to the cohort at this moment (settled.md section 6). */
export function belongsTo(filter: CohortFilter, record: Judged): boolean {
  const { data_cutoff_since: since, data_cutoff_until: until, include_retroactive } = filter;
  const evaluated_until = evaluatedUntil(filter);
  const { data_cutoff, evaluated_at } = record;
  const counted = countedAs(record);
  return (
    isPublic(record) &&
    (countsFurther(filter) || !isFurtherHorizon(record)) &&
    (include_retroactive ? counted !== null : counted === 'realtime') &&
    EQUALITY_FILTERS.every((field) => filter[field] === undefined || filter[field] === record[field]) &&
    (since === undefined || data_cutoff >= since) &&
    (until === undefined || data_cutoff < until) &&
    (evaluated_until === undefined || (evaluated_at !== null && evaluated_at <= evaluated_until))
  );
}
