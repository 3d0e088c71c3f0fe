import type { ChildProcess } from 'node:child_process';
import {
  type Address,
  addressOf,
  type ChildOptions,
  exitOf,
  SERVICE,
  startChild,
} from '../../../scripts/child-process.ts';

/** A process of its own that answers at an address. */
export interface ServerProcess extends Address {
  readonly child: ChildProcess;
  readonly pid: number;
}

/** Called with each process as soon as it runs, so that none outlives the campaign. */
export type Adopt = (child: ChildProcess) => void;

/** Starts the service with nothing of our environment but PATH, and waits until it listens. */
export function startService(environment: Readonly<Record<string, string>>, adopt: Adopt): Promise<ServerProcess> {
  return startServer(SERVICE, { environment: { NODE_ENV: 'production', ...environment } }, adopt);
}

/**
 * Starts any program, and waits until it prints where it listens.
 *
 * @param pattern groups the URL and the port that it prints; by default those of the service
 */
export async function startServer(
  program: string,
  options: ChildOptions,
  adopt: Adopt,
  pattern?: RegExp,
): Promise<ServerProcess> {
  const child = startChild(program, options);
  adopt(child);
  return { child, pid: child.pid ?? 0, ...(await addressOf(child, pattern)) };
}

/** What a server of a rival or of ours prints, other than the service. */
export const LISTENING = /listening at (http:\S+:(\d+))/;

const STOP_WITHIN = 30_000;

/** Sends SIGTERM and waits for the end. After 30 s it kills the process and all others of its group. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const ended = exitOf(child);
  child.kill('SIGTERM');
  const timer = setTimeout(() => killGroup(pid), STOP_WITHIN);
  await ended;
  clearTimeout(timer);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}
