import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE, startChild } from '../../../../scripts/child-process.ts';
import { stopServer } from '../../stage/server-process.ts';
import { saysFailedStart } from '../check/log-messages.ts';

/** A process of the service under a supervisor that restarts it whenever it ends. */
export interface Supervised {
  readonly name: string;
  /** The process id; null while it is restarted. */
  pid(): number | null;
  /** The process ids of its API processes. */
  apiPids(): readonly number[];
  /** Waits until it is up, also after it was killed. @throws Error when it does not come up */
  up(): Promise<void>;
  /** Makes its next end an expected one. */
  expectEnd(): void;
  stop(): Promise<void>;
}

export interface Program {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Whether this running process is up. */
  readonly isUp: (pid: number) => Promise<boolean>;
  /** Called when it has ended unexpectedly. */
  readonly onUnexpectedEnd: (how: string) => void;
}

const START_TIME = 300_000;

export function supervise(program: Program): Supervised {
  let child: ChildProcess | null = null;
  let stopping = false;
  let expected = false;
  const start = () => {
    const launched = launch(program);
    child = launched;
    launched.once('exit', (code, signal) => {
      child = null;
      if (stopping) return;
      if (!expected && !isFailedStart(program, code)) {
        const how = signal ?? `exit code ${code}`;
        program.onUnexpectedEnd(`${program.name} ended unexpectedly (${how}):\n${lastLines(program)}`);
      }
      setTimeout(() => stopping || start(), 300);
    });
  };
  start();
  return {
    name: program.name,
    pid: () => child?.pid ?? null,
    apiPids: () => (child?.pid === undefined ? [] : childrenOf(child.pid)),
    async up() {
      const deadline = Date.now() + START_TIME;
      while (!(child?.pid !== undefined && (await program.isUp(child.pid)))) {
        if (Date.now() > deadline) throw new Error(`${program.name} did not start in time:\n${lastLines(program)}`);
        await sleep(50);
      }
      expected = false;
    },
    expectEnd() {
      expected = true;
    },
    async stop() {
      stopping = true;
      if (child) await stopServer(child);
    },
  };
}

/** Whether it found no database at its start. It then ends, and its supervisor restarts it. */
function isFailedStart(program: Program, code: number | null): boolean {
  return code === 1 && lastLines(program).split('\n').some(saysFailedStart);
}

function launch({ environment, logFile }: Program): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return startChild(SERVICE, { environment: { NODE_ENV: 'production', ...environment }, stdout: log, stderr: log });
  } finally {
    closeSync(log);
  }
}

export function childrenOf(parent: number): number[] {
  const pairs = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return pairs
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid = 0]) => pid);
}

function lastLines({ logFile }: Program): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
}
