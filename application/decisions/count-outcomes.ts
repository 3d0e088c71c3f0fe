import {
  type OutcomeFilter,
  type OutcomePeriod,
  outcomesByPeriod,
  type PeriodOutcomes,
} from '../../domain/decisions/own/outcome-periods.ts';
import { OUTCOMES } from '../../domain/limits.ts';
import type { Ports } from '../ports.ts';
import { filterProblem } from './read-track-record.ts';

/**
 * The graded records of an owner by the week or month in which their windows ended, archived ones included. Of another
 * owner's agent there are none.
 * @throws Problem VALIDATION_ERROR for more records than one request counts
 */
export async function countOutcomes(
  { ownerRecords }: Pick<Ports, 'ownerRecords'>,
  owner_id: string,
  filter: OutcomeFilter,
  by: OutcomePeriod,
): Promise<readonly PeriodOutcomes[]> {
  const tallies = await ownerRecords.countOutcomes(owner_id, filter, by, OUTCOMES.mostRecords);
  if (tallies) return outcomesByPeriod(tallies);
  const most = OUTCOMES.mostRecords.toLocaleString('en-GB');
  throw filterProblem({ path: 'since', message: `must be later: more than ${most} graded decisions end from then on` });
}
