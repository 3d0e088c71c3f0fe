import type { SubmissionOrigin } from '../decisions/call.ts';
import type { Decision } from '../decisions/decision.ts';
import { exceptionOf, type GradedRecord } from '../grading/cohort-exception.ts';

/** How cohorts count a record: `realtime` ones always, the others where retroactive ones are asked for. */
export type CountedAs = SubmissionOrigin | 'carried_open';

/** null for a record that no cohort counts. */
export function countedAs({
  submission_origin,
  ...record
}: Pick<Decision, 'submission_origin'> & GradedRecord): CountedAs | null {
  const exception = exceptionOf(record);
  if (exception === 'suspected_split' || exception === 'wrong_security') return null;
  return exception === 'carried_open' && submission_origin === 'realtime' ? exception : submission_origin;
}
