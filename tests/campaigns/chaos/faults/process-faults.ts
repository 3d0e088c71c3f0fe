import { setTimeout as sleep } from 'node:timers/promises';
import type { Supervised } from '../stage/processes.ts';
import { type Fault, signal } from './fault.ts';

/** One of the API processes of a node, which the node replaces. */
export const killApi: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const node = nodes[n];
  const pids = node?.apiPids() ?? [];
  const pid = pids[random.below(pids.length)];
  if (!node || pid === undefined) return { said: 'no API process to kill' };
  signal(pid, 'SIGKILL');
  // It is replaced after a second; until its successor takes connections the other one answers.
  while (node.apiPids().includes(pid)) await sleep(20);
  await node.up();
  return { said: `API process ${pid} of node ${n}`, node: n };
};

/** A whole node: its API processes end with the process that set them up. */
export const killNode: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const node = nodes[n];
  const pid = node?.pid();
  if (!node || pid == null) return { said: 'no node to kill' };
  await endAndWait(node, pid);
  return { said: `node ${n}`, node: n };
};

export const killWorker: Fault = async ({ workers }, random) => {
  const n = random.below(workers.length);
  const worker = workers[n];
  const pid = worker?.pid();
  if (!worker || pid == null) return { said: 'no worker to kill' };
  await endAndWait(worker, pid);
  return { said: `worker ${n}` };
};

/** Until its successor is up. */
async function endAndWait(process: Supervised, pid: number): Promise<void> {
  process.expectEnd();
  signal(pid, 'SIGKILL');
  while (process.pid() === pid) await sleep(20);
  await process.up();
}

/** It holds what it holds, connections and locks, and says nothing. */
export const pauseApi: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const pids = nodes[n]?.apiPids() ?? [];
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { said: 'no API process to pause' };
  const millis = await paused(pid, 500 + random.below(3_500));
  return { said: `API process ${pid} of node ${n} for ${millis} ms` };
};

export const pauseWorker: Fault = async ({ workers }, random) => {
  const n = random.below(workers.length);
  const pid = workers[n]?.pid();
  if (pid == null) return { said: 'no worker to pause' };
  const millis = await paused(pid, 500 + random.below(3_500));
  return { said: `worker ${n} for ${millis} ms` };
};

/** A session of the service on the database's side. */
export const pauseBackend: Fault = async ({ database }, random) => {
  const pids = (await database.rows<{ pid: number }>(SESSIONS)).map(({ pid }) => pid);
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { said: 'no backend to pause' };
  const millis = await paused(pid, 500 + random.below(3_500));
  return { said: `backend ${pid} for ${millis} ms` };
};

/** The busy ones first: a session that waits for nothing to do is paused by nobody's notice. */
export const SESSIONS = `
  select pid from pg_stat_activity where usename = 'stancebook' and backend_type = 'client backend'
  order by state = 'active' desc, state_change desc limit 12`;

async function paused(pid: number, millis: number): Promise<number> {
  signal(pid, 'SIGSTOP');
  try {
    await sleep(millis);
  } finally {
    signal(pid, 'SIGCONT');
  }
  return millis;
}
