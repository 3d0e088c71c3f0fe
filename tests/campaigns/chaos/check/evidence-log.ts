import { setTimeout as sleep } from 'node:timers/promises';
import { openJobQueue } from '../../../../adapters/jobs/job-queue.ts';
import { auditLog } from '../../../../clients/typescript/verify/audit.ts';
import { textOf } from '../../../../clients/typescript/verify/verdict.ts';
import { LEAF_STATE } from '../../../../domain/log/leaves/leaf-audit.ts';
import { vkeyText } from '../../../../domain/log/notes/note.ts';
import { MINUTE, SECOND } from '../../../../domain/time.ts';
import { breach, type Journal } from '../journal.ts';
import type { Stage } from '../stage/stage.ts';

const LOGGED_WITHIN = 2 * MINUTE;

/**
 * Lets leaves that wait for a random time be appended now, and waits until nothing is pending. A run appends one event of
 * each decision; runs are requested here, because the clock of the campaign is hours ahead of that of the machine by now,
 * which leaves them to the schedule of a run per minute.
 */
export async function completeLog({ database }: Stage, journal: Journal): Promise<void> {
  const { queue, close } = await openJobQueue({ sql: database, log: console });
  let waiting: readonly { readonly words: string }[] = [];
  try {
    for (const end = Date.now() + LOGGED_WITHIN; Date.now() < end; await sleep(500)) {
      await database.rows('update app.log_pending set ready_at = app.now() where ready_at > app.now()');
      waiting = await database.rows<{ words: string }>(WAITING);
      if (waiting.length === 0) return;
      await queue.enqueue('keep-log');
    }
  } finally {
    await close();
  }
  breach(journal, 'logged', `after ${LOGGED_WITHIN / SECOND} s ${waiting.map(({ words }) => words).join(', ')}`);
}

const WAITING = `
  select concat_ws(' ', 'event', seq, event, 'of', record_id, 'waits since', ready_at) as words from app.log_pending
  union all
  select 'the tree of ' || size || ' leaves is not signed' from app.log_checkpoints where signature is null`;

/** Checks that each decision is in the log once, in its state, and that the served log follows the rules of leaves. */
export async function checkEvidenceLog({ database, nodes, logKey }: Stage, journal: Journal): Promise<void> {
  for (const { words } of await database.rows<{ words: string }>(UNLOGGED)) breach(journal, 'logged', words);
  const [log] = await database.rows<{ origin: string }>('select origin from app.logs');
  const policy = `log ${vkeyText(logKey.verifierKey(log?.origin ?? 'none'))}\nquorum none\n`;
  const served = async (path: string) => {
    const reply = await fetch(`${nodes[0]?.url}/log/1/${path}`);
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}.`);
    return reply.bytes();
  };
  const { lines, kept } = await auditLog(served, policy, null, { now: Math.floor(Date.now() / 1_000) });
  if (kept === null) {
    const failed = lines.filter(({ verdict }) => verdict === 'FAILS');
    for (const each of failed) breach(journal, 'logged', textOf(each));
    return;
  }
  for (const { record_id, index, state } of await database.rows<LoggedRecord>(LOGGED)) {
    const found = nameOf(kept.states[Number(index)] ?? LEAF_STATE.other);
    if (found !== state) breach(journal, 'logged', `${record_id} is ${state}; leaf ${index} is ${found}`);
  }
}

/** The lower half of a state; the upper one says that the decision was imported. */
function nameOf(state: number): string {
  const names = ['no decision', 'open', 'graded', 'closed', 'closed'];
  return names[state & 0x0f] ?? 'unknown';
}

interface LoggedRecord {
  readonly record_id: string;
  readonly index: string;
  readonly state: 'open' | 'graded' | 'closed';
}

const LOGGED = `
  select d.record_id, l.index, case when lifecycle_state = 'evaluated' then 'graded'
    when lifecycle_state in ('rejected', 'data_unavailable', 'quarantined') then 'closed' else 'open' end as state
  from app.decisions d join app.log_decisions l using (record_id)`;

const UNLOGGED = `
  select record_id || ' has ' || count(l.index) || ' leaves' as words
  from app.decisions left join app.log_decisions l using (record_id) group by record_id having count(l.index) <> 1
  union all
  select 'the outcome of ' || record_id || ' has ' || count(l.index) || ' leaves'
  from app.decision_outcomes left join app.log_outcomes l using (record_id) group by record_id having count(l.index) <> 1`;
