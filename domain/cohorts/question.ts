import { rfc3339 } from '../time.ts';
import type { CohortFilter } from './cohort-filter.ts';

/**
 * What a cohort query asks, whichever page it wants and as of which time: its filters as they were understood, with times
 * as text. Two queries with the same filters are one question. Its RFC 8785 form is the canonical query.
 */
export interface Question extends Omit<CohortFilter, 'as_of' | 'data_cutoff_since' | 'data_cutoff_until'> {
  readonly data_cutoff_since?: string;
  readonly data_cutoff_until?: string;
}

export function questionOf(filter: CohortFilter): Question {
  const { as_of: _, data_cutoff_since: since, data_cutoff_until: until, ...others } = filter;
  return {
    ...others,
    ...(since && { data_cutoff_since: rfc3339(since) }),
    ...(until && { data_cutoff_until: rfc3339(until) }),
  };
}
