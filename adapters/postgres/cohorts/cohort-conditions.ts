import { type CohortFilter, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY } from '../../../domain/time.ts';
import { interval } from '../kit/interval.ts';
import type { Range } from './cohort-plan.ts';

/** Gives each value its place among the parameters of a statement, `$1` and so on. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** What a cell, a row of the tail or an ungraded record must have in common with the filter, whatever its times. */
export function equalities(filter: CohortFilter, row: string, parameters: Parameters): string[] {
  return [
    ...equalFields(filter, row, parameters),
    ...(filter.include_retroactive ? [] : [`${row}.submission_origin = 'realtime'`]),
  ];
}

function equalFields(filter: Partial<CohortFilter>, row: string, parameters: Parameters): string[] {
  const fields = EQUALITY_FILTERS.filter((field) => filter[field] !== undefined);
  return fields.map((field) => `${row}.${field} = ${parameters.add(filter[field])}`);
}

/** The records of app.cohort_decisions that cohorts count without `include_retroactive`. */
export function countedRealtime(row: string): string {
  return `(${row}.submission_origin = 'realtime' and ${row}.cohort_exception is null)`;
}

/** The same of app.cohort_decisions: a pinned instrument is one column there. */
export function recordEqualities(filter: CohortFilter, parameters: Parameters): string[] {
  const { market, symbol, venue, asset_class, quote_currency, ...others } = filter;
  const origin = filter.include_retroactive ? [] : [countedRealtime('d')];
  if (!symbol || !venue || !asset_class || !quote_currency) return [...equalFields(filter, 'd', parameters), ...origin];
  const key = instrumentKey({ market, symbol, venue, asset_class, quote_currency });
  return [`d.instrument = ${parameters.add(key)}`, ...equalFields(others, 'd', parameters), ...origin];
}

/** What a row `d` of app.cohort_decisions must meet to be in the cohort, with its times. */
export function memberConditions(filter: CohortFilter, parameters: Parameters): string[] {
  const evaluated_until = evaluatedUntil(filter);
  return [
    ...recordEqualities(filter, parameters),
    ...rangeConditions(boundsOf(filter), 'd.data_cutoff', parameters),
    ...(evaluated_until ? evaluatedBy(evaluated_until, parameters) : []),
  ];
}

/** Without a bound on data_cutoff the scan would pass over all later records. */
export function evaluatedBy(until: Date, parameters: Parameters): string[] {
  const time = parameters.add(until);
  return [
    `d.evaluated_at <= ${time}`,
    `d.data_cutoff < ${time}::timestamptz + ${parameters.add(interval(CUTOFF_SLACK))}::interval`,
  ];
}

/** A data_cutoff is at most `SUBMIT.cutoffLead` later than its evaluation: this is far more. */
const CUTOFF_SLACK = DAY;

function boundsOf({ data_cutoff_since, data_cutoff_until }: CohortFilter) {
  return {
    ...(data_cutoff_since ? { since: data_cutoff_since.getTime() } : {}),
    ...(data_cutoff_until ? { until: data_cutoff_until.getTime() } : {}),
  };
}

export function rangeConditions({ since, until }: Range, time: string, parameters: Parameters): string[] {
  return [
    ...(since === undefined ? [] : [`${time} >= ${parameters.add(new Date(since))}`]),
    ...(until === undefined ? [] : [`${time} < ${parameters.add(new Date(until))}`]),
  ];
}
