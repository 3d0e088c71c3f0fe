import { draftDecision, type SubmitRequest } from '../../../application/decisions/draft-decision.ts';
import { admitSubmission } from '../../../domain/decisions/submission/admit-submission.ts';
import type { DecisionDraft } from '../../../domain/decisions/submission/decision-intake.ts';
import type { Limits } from '../../../domain/limits.ts';
import { TABLE_VENUES } from '../../../domain/market/venues.ts';
import { ANY_SYMBOL } from '../../harness/any-symbol.ts';
import type { Caller } from '../stage/callers.ts';

/** The draft of a submission of this agent, as the service makes it after the checks of the domain. */
export function admittedDraft(
  { owner_id, agent_id, key_prefix }: Pick<Caller, 'owner_id' | 'agent_id' | 'key_prefix'>,
  request: Omit<SubmitRequest, 'agent'>,
  limits: Limits,
  now: Date,
): DecisionDraft {
  const admission = admitSubmission(request.submission, { symbols: ANY_SYMBOL, venues: TABLE_VENUES }, now);
  if ('faults' in admission) throw new Error(`The submission is refused: ${JSON.stringify(admission.faults)}`);
  const key = { credential: 'api_key', permission_mode: 'read_write', tier: 'free' } as const;
  const agent = { ...key, owner_id, agent_id, key_prefix };
  return draftDecision({ ...request, agent }, admission, {
    limits,
    refuseTrippedSubmits: false,
    sessionSecret: 's'.repeat(32),
  });
}
