import { setTimeout as sleep } from 'node:timers/promises';
import type { Supervised } from '../stage/processes.ts';
import { type Fault, signal } from './fault.ts';

/** Kills one of the API processes of a node, which the node replaces. */
export const killApi: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const node = nodes[n];
  const pids = node?.apiPids() ?? [];
  const pid = pids[random.below(pids.length)];
  if (!node || pid === undefined) return { detail: 'no API process to kill' };
  signal(pid, 'SIGKILL');
  // The node replaces it after a second. Until then the other one answers.
  while (node.apiPids().includes(pid)) await sleep(20);
  await node.up();
  return { detail: `API process ${pid} of node ${n}`, node: n };
};

/** Kills a whole node: its API processes end with their parent. */
export const killNode: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const node = nodes[n];
  const pid = node?.pid();
  if (!node || pid == null) return { detail: 'no node to kill' };
  await killAndWait(node, pid);
  return { detail: `node ${n}`, node: n };
};

export const killWorker: Fault = async ({ workers }, random) => {
  const n = random.below(workers.length);
  const worker = workers[n];
  const pid = worker?.pid();
  if (!worker || pid == null) return { detail: 'no worker to kill' };
  await killAndWait(worker, pid);
  return { detail: `worker ${n}` };
};

/** Waits until its successor is up. */
export async function killAndWait(process: Supervised, pid: number): Promise<void> {
  process.expectEnd();
  signal(pid, 'SIGKILL');
  while (process.pid() === pid) await sleep(20);
  await process.up();
}

/** Pauses a process, which keeps its connections and locks. */
export const pauseApi: Fault = async ({ nodes }, random) => {
  const n = random.below(nodes.length);
  const pids = nodes[n]?.apiPids() ?? [];
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { detail: 'no API process to pause' };
  const millis = await pause(pid, 500 + random.below(3_500));
  return { detail: `API process ${pid} of node ${n} for ${millis} ms` };
};

export const pauseWorker: Fault = async ({ workers }, random) => {
  const n = random.below(workers.length);
  const pid = workers[n]?.pid();
  if (pid == null) return { detail: 'no worker to pause' };
  const millis = await pause(pid, 500 + random.below(3_500));
  return { detail: `worker ${n} for ${millis} ms` };
};

/** Pauses the backend of a session of the service. */
export const pauseBackend: Fault = async ({ database }, random) => {
  const pids = (await database.rows<{ pid: number }>(SESSIONS)).map(({ pid }) => pid);
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return { detail: 'no backend to pause' };
  const millis = await pause(pid, 500 + random.below(3_500));
  return { detail: `backend ${pid} for ${millis} ms` };
};

/** Busy ones first: pausing an idle session has no effect. */
export const SESSIONS = `
  select pid from pg_stat_activity where usename = 'stancebook' and backend_type = 'client backend'
  order by state = 'active' desc, state_change desc limit 12`;

async function pause(pid: number, millis: number): Promise<number> {
  signal(pid, 'SIGSTOP');
  try {
    await sleep(millis);
  } finally {
    signal(pid, 'SIGCONT');
  }
  return millis;
}
