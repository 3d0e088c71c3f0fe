import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';
import { type Fault, signal } from './fault.ts';
import { SESSIONS } from './process-faults.ts';

export const killPostmaster: Fault = async ({ database }) => {
  const pid = database.pid();
  if (pid === null) return { detail: 'no postmaster to kill' };
  signal(pid, 'SIGKILL');
  while (database.pid() === pid) await sleep(20);
  await database.revive();
  return { detail: `postmaster ${pid}`, crash: true };
};

/** Kills one session of the service: the server then ends all of them and recovers. */
export const killBackend: Fault = async ({ database }, random) => {
  const pids = (await database.rows<{ pid: number }>(SESSIONS)).map(({ pid }) => pid);
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { detail: 'no backend to kill' };
  signal(pid, 'SIGKILL');
  await sleep(200);
  await database.revive();
  return { detail: `backend ${pid}`, crash: true };
};

/** Restarts in order, as an operator does, which aborts all transactions. */
export const restartPostgres: Fault = async ({ database }) => {
  const pid = database.pid();
  if (pid === null) return { detail: 'no server to restart' };
  signal(pid, 'SIGINT');
  while (database.pid() === pid) await sleep(20);
  await database.revive();
  return { detail: `server ${pid}` };
};

export const terminateBackends: Fault = async ({ database }, random) => {
  const share = 0.3 + 0.7 * random.fraction();
  const ended = await database.rows(TERMINATE, [share]);
  return { detail: `${ended.length} backends` };
};

const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where usename = 'stancebook' and backend_type = 'client backend' and random() < $1`;

/** Tables cannot grow, so writes fail. */
export const fillDisk: Fault = async (stage, random) => {
  const { disk, database } = stage;
  if (!disk) return { detail: 'no filesystem of its own' };
  const before = database.pid();
  disk.fill();
  const millis = 1_000 + random.below(2_000);
  try {
    await sleep(millis);
  } finally {
    disk.makeRoom();
  }
  await database.revive();
  return { detail: `for ${millis} ms`, crash: await hasRestarted(stage, before, Date.now() - millis) };
};

/** There is no room for the next WAL segment, so the server stops itself. */
export const fillLog: Fault = async (stage, random) => {
  const { disk, database } = stage;
  if (!disk) return { detail: 'no filesystem of its own' };
  disk.fill();
  const until = Date.now() + 1_500 + random.below(1_500);
  try {
    while (Date.now() < until) {
      await database.rows('select pg_switch_wal()').catch(() => undefined);
      await sleep(20);
    }
  } finally {
    disk.makeRoom();
  }
  await database.revive();
  return { detail: 'WAL segments', crash: true };
};

/** Whether the server has ended all sessions since, and recovered. */
export async function hasRestarted({ database }: Stage, pid: number | null, since: number): Promise<boolean> {
  if (database.pid() !== pid) return true;
  const [row] = await database.rows<{ at: Date }>(
    `select min(backend_start) as at from pg_stat_activity where backend_type = 'checkpointer'`,
  );
  return (row?.at.getTime() ?? 0) >= since;
}
