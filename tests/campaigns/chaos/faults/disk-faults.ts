import { setTimeout as sleep } from 'node:timers/promises';
import type { Node, Stage } from '../stage/stage.ts';
import { hasRestarted } from './database-faults.ts';
import type { Fault } from './fault.ts';

/** Milliseconds in which submissions must meet the full disk, and the nodes notice its end. */
const NOTICED_WITHIN = 30_000;

/**
 * Takes all room, until a node says by /readyz that its disk is full, and gives the room back: each node must be ready
 * again, with the processes that it had. Where PostgreSQL stopped itself instead, it is restarted as by an operator.
 */
export const fillDiskUntilNoticed: Fault = async (stage) => {
  const { disk, database, nodes } = stage;
  if (!disk) return { detail: 'no filesystem of its own' };
  const [server, processes, started] = [database.pid(), pidsOf(nodes), Date.now()];
  let isNoticed = false;
  disk.fill();
  try {
    isNoticed = await within(async () => (await anyDiskFault(nodes)) || database.pid() !== server);
  } finally {
    disk.makeRoom();
  }
  await database.revive();
  const crash = await hasRestarted(stage, server, started);
  const isReady = await within(async () => (await Promise.all(nodes.map(readiness))).every((parts) => parts === ''));
  const isSame = pidsOf(nodes) === processes;
  return {
    detail: `until ${crash ? 'PostgreSQL stopped' : 'a node noticed'}`,
    crash,
    broken: [
      ...(isNoticed || crash ? [] : [`No node said by /readyz that its disk was full within ${NOTICED_WITHIN} ms.`]),
      ...(isReady ? [] : [`A node was not ready ${NOTICED_WITHIN} ms after there was room again.`]),
      ...(isSame ? [] : ['A process of a node was replaced while the disk was full.']),
    ],
  };
};

async function within(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + NOTICED_WITHIN; Date.now() < end; await sleep(50)) if (await isSo()) return true;
  return false;
}

function pidsOf(nodes: readonly Node[]): string {
  return nodes.map((node) => `${node.pid()}: ${node.apiPids().toSorted().join(' ')}`).join('; ');
}

async function anyDiskFault(nodes: Stage['nodes']): Promise<boolean> {
  return (await Promise.all(nodes.map(readiness))).some((parts) => parts.split(' ').includes('disk'));
}

/** The parts that are not ready, of the process of the node that answers; `unreachable` where none does. */
async function readiness({ url }: Node): Promise<string> {
  try {
    const reply = await fetch(`${url}/readyz`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5_000),
    });
    if (reply.ok) return '';
    const { error } = (await reply.json()) as { error: { details?: readonly { path: string }[] } };
    return error.details?.map(({ path }) => path).join(' ') ?? 'unknown';
  } catch {
    return 'unreachable';
  }
}
