import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { breach, type Journal } from './journal.ts';
import type { Crowd } from './load/crowd.ts';
import { settleRotations } from './load/owners.ts';
import { resolve, submitSome } from './load/submissions.ts';
import type { Stage } from './stage/stage.ts';

const GRADED_WITHIN = 2 * MINUTE;
const ANSWERED_WITHIN = MINUTE;
/** Longer than any horizon of the load and the time for its prices to settle. */
const ALL_DUE_AFTER = 30 * MINUTE;
const REPLAYS = 300;

/** Sends unanswered submissions again, and waits until all accepted ones are graded. */
export async function settle(crowd: Crowd): Promise<void> {
  const { journal, stage } = crowd;
  // Frequency limits and cooldowns of the last hour must not refuse what is sent again.
  await stage.clock.jump(HOUR);
  await answerAll(crowd);
  await replaySome(crowd);
  await stage.clock.jump(ALL_DUE_AFTER);
  await gradeAll(crowd, journal);
}

async function answerAll(crowd: Crowd): Promise<void> {
  const deadline = Date.now() + ANSWERED_WITHIN;
  while (!(await settleRotations(crowd)) && Date.now() < deadline) await sleep(300);
  for (;;) {
    const open = crowd.journal.sent.filter(({ key, unknown }) => key !== null && unknown);
    if (open.length === 0 || Date.now() > deadline) return;
    for (const sent of open) {
      const agent = crowd.agents.find(({ caller }) => caller === sent.caller);
      if (agent) await resolve(crowd, agent, sent);
    }
    await sleep(200);
  }
}

/** Replays submissions from the whole campaign, at random nodes. */
async function replaySome(crowd: Crowd): Promise<void> {
  const accepted = crowd.journal.sent.filter(({ key, accepted }) => key !== null && accepted !== null);
  const every = Math.max(1, Math.floor(accepted.length / REPLAYS));
  for (const [n, sent] of accepted.entries()) {
    const agent = crowd.agents.find(({ caller }) => caller === sent.caller);
    if (n % every === 0 && agent) await resolve(crowd, agent, sent);
  }
}

/** Submits decisions that are due at once: they wake the sweep, which then finds all others. */
async function gradeAll(crowd: Crowd, journal: Journal): Promise<void> {
  const deadline = Date.now() + GRADED_WITHIN;
  for (let n = 0; Date.now() < deadline; n++) {
    const [agent] = crowd.agents.slice(n % crowd.agents.length);
    if (agent && n % 5 === 0) await submitSome(crowd, agent, true);
    await sleep(500);
    if (n > 2 && (await openRecords(crowd.stage)) === 0) return;
  }
  breach(
    journal,
    'graded',
    `${await openRecords(crowd.stage)} records were not graded within ${GRADED_WITHIN / 1_000} s`,
  );
}

async function openRecords({ database }: Stage): Promise<number> {
  const [row] = await database.rows<{ n: number }>(
    `select count(*)::int as n from app.decisions where lifecycle_state not in ('evaluated', 'quarantined')`,
  );
  return row?.n ?? 0;
}
