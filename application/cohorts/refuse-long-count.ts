import { AS_OF_FILTERS, type CohortFilter, readsRecordsAsOf, withoutAsOf } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader } from '../../domain/cohorts/cohort-reader.ts';
import { COHORT } from '../../domain/limits.ts';
import { cohortProblem } from './cohort-filters.ts';

/**
 * Refuses an `as_of` for which too many records would have to be read one by one, and says which filters it may be
 * combined with. The number of records that match without it decides, which is public.
 * @throws Problem VALIDATION_ERROR (422)
 */
export async function refuseLongCount(cohorts: Pick<CohortReader, 'summarise'>, filter: CohortFilter): Promise<void> {
  if (!readsRecordsAsOf(filter)) return;
  const { result } = await cohorts.summarise(withoutAsOf(filter), 1);
  if (result.samples <= COHORT.mostAsOf) return;
  const sets = AS_OF_FILTERS.map((set) => set.join(' and ')).join('; ');
  const message =
    `cannot be combined with these filters, because more than ${COHORT.mostAsOf} records match without it. ` +
    `Leave it out, or leave out the times and all but one of: ${sets}`;
  throw cohortProblem({ path: 'as_of', message });
}
