import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader } from '../../domain/cohorts/cohort-reader.ts';
import { type Overview, overviewOf } from '../../domain/cohorts/cohort-views.ts';
import type { CohortRules } from '../../domain/cohorts/suppression.ts';
import { COHORT } from '../../domain/limits.ts';
import { type JudgedCohort, judgeCohort } from './judge-cohort.ts';

export interface JudgedOverview extends JudgedCohort {
  readonly overview: Overview;
}

/** Judges a cohort and reads what its overview shows; of a withheld cohort nothing more is read. */
export async function readOverview(
  cohorts: Pick<CohortReader, 'summarise' | 'windows'>,
  filter: CohortFilter,
  rules: CohortRules,
): Promise<JudgedOverview> {
  const { summary, reason } = await judgeCohort(cohorts, filter, rules);
  const { result, moment } = summary;
  // The database would read mostWindows records before it returns null.
  const isCounted = reason === null && result.samples <= COHORT.mostWindows;
  const windows = isCounted ? await cohorts.windows(filter, moment) : null;
  return { summary, reason, overview: overviewOf(filter, result, reason, rules, windows) };
}
