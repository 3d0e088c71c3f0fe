import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { Range } from './cohort-plan.ts';

/** Gives each value its place among the parameters of a statement, `$1` and so on. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** What a cell, or a row of the tail or of app.decisions, must have in common with the filter, whatever its times. */
export function equalities(filter: Partial<CohortFilter>, row: string, parameters: Parameters): string[] {
  const fields = EQUALITY_FILTERS.filter((field) => filter[field] !== undefined);
  return [
    ...fields.map((field) => `${row}.${field} = ${parameters.add(filter[field])}`),
    ...(filter.include_retroactive ? [] : [`${row}.submission_origin = 'realtime'`]),
  ];
}

/** The same of app.decisions: a pinned instrument is one column there. */
export function recordEqualities(filter: CohortFilter, parameters: Parameters): string[] {
  const { market, symbol, venue, asset_class, quote_currency, ...others } = filter;
  if (!symbol || !venue || !asset_class || !quote_currency) return equalities(filter, 'd', parameters);
  const key = instrumentKey({ market, symbol, venue, asset_class, quote_currency });
  return [`d.instrument = ${parameters.add(key)}`, ...equalities(others, 'd', parameters)];
}

export function rangeConditions({ since, until }: Range, time: string, parameters: Parameters): string[] {
  return [
    ...(since === undefined ? [] : [`${time} >= ${parameters.add(new Date(since))}`]),
    ...(until === undefined ? [] : [`${time} < ${parameters.add(new Date(until))}`]),
  ];
}
