import { setTimeout as sleep } from 'node:timers/promises';
import { openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { breach, type Journal } from './journal.ts';
import type { Stage } from './stage/stage.ts';

const DELIVERED_WITHIN = 2 * MINUTE;

/**
 * Makes failed deliveries due, and waits until every event is delivered. Sweeps are requested here, because the clock of
 * the campaign is hours ahead of that of the machine, which leaves them to the schedule of a run per minute.
 */
export async function deliverAll({ database, clock, receiver }: Stage, journal: Journal): Promise<void> {
  receiver.heal();
  await clock.jump(HOUR);
  const { queue, close } = await openJobQueue({ sql: database, log: console });
  let waiting: readonly { readonly words: string }[] = [];
  try {
    for (const end = Date.now() + DELIVERED_WITHIN; Date.now() < end; await sleep(500)) {
      waiting = await database.rows<{ words: string }>(WAITING);
      if (waiting.length === 0) return;
      await queue.enqueue('deliver-webhooks');
    }
  } finally {
    await close();
  }
  breach(journal, 'webhooks', `after ${DELIVERED_WITHIN / SECOND} s ${waiting.map(({ words }) => words).join(', ')}`);
}

const WAITING = `
  select count(*) || ' deliveries of ' || webhook_id || ' are ' || d.status as words
  from app.webhook_deliveries d where d.status <> 'delivered' group by webhook_id, d.status
  union all
  select w.webhook_id || ' (' || w.status || ') has a next event' from app.webhooks w where exists (
    select from app.events e where e.owner_id = w.owner_id and (e.position, e.seq) >= (w.position, w.seq))`;
