import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import { EQUALITY_FILTERS } from '../../domain/cohorts/cohort-membership.ts';

/** Gives each value its place among the parameters of a statement, `$1` and so on. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** What a row of app.decisions has to meet to belong to the cohort. */
export function conditions(filter: CohortFilter, parameters: Parameters): string {
  const { data_cutoff_since: since, data_cutoff_until: until, as_of, include_retroactive } = filter;
  const equalities = EQUALITY_FILTERS.flatMap((field) =>
    filter[field] === undefined ? [] : [`d.${field} = ${parameters.add(filter[field])}`],
  );
  return [
    `d.lifecycle_state = 'evaluated'`,
    ...equalities,
    ...(include_retroactive ? [] : [`d.submission_origin = 'realtime'`]),
    ...(since ? [`d.data_cutoff >= ${parameters.add(since)}`] : []),
    ...(until ? [`d.data_cutoff < ${parameters.add(until)}`] : []),
    ...(as_of ? [`d.evaluated_at <= ${parameters.add(as_of)}`] : []),
  ].join(' and ');
}
