import { namedPeriod } from '../kit/domain.ts';
import type { Schemas } from '../kit/schemas.ts';
import { instant, plain } from '../kit/value-texts.ts';
import { type CohortFilters, cohortAddress, queryWords } from './cohort-query.ts';

type Question = Schemas['PlannedQuery'];

/** The filters of a plan in words, each of them: `MSFT, bullish, stated before the outcome`. */
export function questionWords(question: Question): string {
  const { method, grid, data_cutoff_since: since, data_cutoff_until: until } = question;
  const period = periodOf(question);
  const { cohort_key, analysis_class, perspective_type, result_bucket } = question;
  return [
    queryWords({ ...question, ...(period === null ? {} : { period }) }),
    cohort_key && `of the cohort ${cohort_key}`,
    analysis_class && `analysis ${plain(analysis_class)}`,
    perspective_type && `perspective ${plain(perspective_type)}`,
    result_bucket && `only ${plain(result_bucket)}`,
    method && `graded by ${method}`,
    grid && `${plain(grid)} grid`,
    period === null && since && `data up to ${instant(since)} or later`,
    period === null && until && `data up to a time before ${instant(until)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The view that counts exactly this cohort; null where it cannot: it has not all filters that an agent has. */
export function cohortOf(question: Question): string | null {
  const { data_cutoff_since, data_cutoff_until, include_retroactive, ...others } = question;
  const { cohort_key, analysis_class, perspective_type, result_bucket, method, grid, ...shared } = others;
  const unknown = [cohort_key, analysis_class, perspective_type, result_bucket, method, grid];
  const period = periodOf(question);
  const isBounded = data_cutoff_since !== undefined || data_cutoff_until !== undefined;
  if (unknown.some((value) => value !== undefined) || (isBounded && period === null)) return null;
  const named = Object.entries({ ...shared, ...(period === null ? {} : { period }) });
  const filters: CohortFilters = Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
  return cohortAddress({ ...filters, ...(include_retroactive ? { include_retroactive: 'true' } : {}) });
}

/** What an agent sends to ask exactly this. */
export function requestOf(question: Question): string {
  const named = Object.entries(question).map(([name, value]) => [name, String(value)] as [string, string]);
  return `/api/v1/agent/wisdom?${new URLSearchParams(named)}`;
}

/** The calendar part that the bounds are; null where they are none. */
function periodOf({ data_cutoff_since: since, data_cutoff_until: until }: Question): string | null {
  if (since === undefined || until === undefined) return null;
  const parts = [4, 7, 10].map((length) => since.slice(0, length));
  const isSame = (part: string) => {
    const named = namedPeriod(part);
    return named?.since.getTime() === Date.parse(since) && named.until.getTime() === Date.parse(until);
  };
  return parts.find(isSame) ?? null;
}
