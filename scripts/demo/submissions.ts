import { IDEMPOTENCY } from '../../domain/limits.ts';
import { HOUR } from '../../domain/time.ts';
import type { Keys } from './accounts.ts';
import type { Client } from './client.ts';
import type { Journal } from './journal.ts';
import type { Planned } from './plan.ts';
import { eachOf } from './pool.ts';
import type { Progress } from './progress.ts';

export interface Submissions {
  readonly fresh: number;
  /** Sent by an interrupted run, and accepted by the service. */
  readonly found: number;
  /** Sent too long ago: sent again they might be stored twice. */
  readonly abandoned: readonly string[];
}

/** One hour less than the service stores an Idempotency-Key, as a margin. */
export const REPLAYABLE = IDEMPOTENCY.keep - HOUR;

const AT_ONCE = 8;

/** Submits unacknowledged decisions, each with its own Idempotency-Key, and records the replies in the journal. */
export async function submitPlan(
  { client, keys, journal, progress }: { client: Client; keys: Keys; journal: Journal; progress: Progress },
  plan: readonly Planned[],
): Promise<Submissions> {
  const open = plan.filter(({ key }) => !journal.acknowledged.has(key));
  const abandoned = open.filter(({ key }) => isTooOld(journal.sent.get(key)));
  let [fresh, found] = [0, 0];
  await eachOf(
    open.filter((planned) => !abandoned.includes(planned)),
    AT_ONCE,
    async ({ agent, key, submission }) => {
      journal.noteSent(key);
      const { record_id, replayed } = await client.submit(keys.get(agent) ?? '', key, submission);
      journal.noteAcknowledged(key, record_id);
      if (replayed) found += 1;
      else fresh += 1;
      progress.show(journal.acknowledged.size, plan.length, 'acknowledged');
    },
  );
  return { fresh, found, abandoned: abandoned.map(({ key }) => key) };
}

function isTooOld(sentAt: number | undefined): boolean {
  return sentAt !== undefined && Date.now() - sentAt > REPLAYABLE;
}
