import { setTimeout as sleep } from 'node:timers/promises';
import type { Stage } from '../stage/stage.ts';
import { type Fault, signal } from './fault.ts';
import { SESSIONS } from './process-faults.ts';

export const killPostmaster: Fault = async ({ database }) => {
  const pid = database.pid();
  if (pid === null) return { said: 'no postmaster to kill' };
  signal(pid, 'SIGKILL');
  while (database.pid() === pid) await sleep(20);
  await database.revive();
  return { said: `postmaster ${pid}`, crash: true };
};

/** One session of the service; the server ends all of them and recovers by itself. */
export const killBackend: Fault = async ({ database }, random) => {
  const pids = (await database.rows<{ pid: number }>(SESSIONS)).map(({ pid }) => pid);
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { said: 'no backend to kill' };
  signal(pid, 'SIGKILL');
  await sleep(200);
  await database.revive();
  return { said: `backend ${pid}`, crash: true };
};

/** In order, as an operator does; everybody's transactions are broken off. */
export const restartPostgres: Fault = async ({ database }) => {
  const pid = database.pid();
  if (pid === null) return { said: 'no server to restart' };
  signal(pid, 'SIGINT');
  while (database.pid() === pid) await sleep(20);
  await database.revive();
  return { said: `server ${pid}` };
};

export const terminateBackends: Fault = async ({ database }, random) => {
  const share = 0.3 + 0.7 * random.fraction();
  const ended = await database.rows(TERMINATE, [share]);
  return { said: `${ended.length} backends` };
};

const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where usename = 'stancebook' and backend_type = 'client backend' and random() < $1`;

/** Tables cannot grow; what is written finds no room. */
export const fillDisk: Fault = async (stage, random) => {
  const { disk, database } = stage;
  if (!disk) return { said: 'no filesystem of its own' };
  const before = database.pid();
  disk.fill();
  const millis = 1_000 + random.below(2_000);
  try {
    await sleep(millis);
  } finally {
    disk.makeRoom();
  }
  await database.revive();
  return { said: `for ${millis} ms`, crash: await cameUpAnew(stage, before, Date.now() - millis) };
};

/** There is no room for the next segment of the log: the server stops itself rather than to promise what it cannot keep. */
export const fillLog: Fault = async (stage, random) => {
  const { disk, database } = stage;
  if (!disk) return { said: 'no filesystem of its own' };
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
  return { said: 'segments of the log', crash: true };
};

async function cameUpAnew({ database }: Stage, pid: number | null, since: number): Promise<boolean> {
  if (database.pid() !== pid) return true;
  const [row] = await database.rows<{ at: Date }>(
    `select min(backend_start) as at from pg_stat_activity where backend_type = 'checkpointer'`,
  );
  return (row?.at.getTime() ?? 0) >= since;
}
