import type { Submission } from '../../domain/decisions/submission/submission.ts';
import { DAY } from '../../domain/time.ts';
import { aSubmission } from '../builders/decisions.ts';
import type { TestAgent } from './callers.ts';
import type { TestService } from './service.ts';

/** A Monday with years of packaged prices of bitcoin behind it. */
export const COHORTS_AT = new Date('2017-06-05T12:20:00.000Z');

/** A two-day decision on bitcoin with a data_cutoff that many days ago, so that it is graded at once. */
export function aPastCall(daysAgo: number, changes: Partial<Submission> = {}): Submission {
  const cutoff = new Date(COHORTS_AT.getTime() - daysAgo * DAY);
  return aSubmission(cutoff, { horizon_kind: 'trading_days', horizon_value: 2, ...changes });
}

/** Submits these for each of the agents and grades them on real prices; returns the record ids. */
export async function gradedCalls(
  { settle }: TestService,
  agents: readonly TestAgent[],
  calls: readonly Submission[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const agent of agents) {
    for (const call of calls) {
      const { status, body, text } = await agent.submit(call);
      if (status !== 201) throw new Error(text);
      ids.push(body.record_id);
    }
  }
  await settle();
  return ids;
}

/** Queries a cohort; undefined parameters are not sent. */
export function wisdom(agent: Pick<TestAgent, 'get'>, query: Readonly<Record<string, string | number | undefined>>) {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.set(name, String(value));
  return agent.get(`/api/v1/agent/wisdom?${sent}`);
}
