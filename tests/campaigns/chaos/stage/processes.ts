import { type ChildProcess, execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE, startChild } from '../../../../scripts/child-process.ts';
import { stopServer } from '../../stage/server-process.ts';

/** A program of the service under a supervisor that starts it again whenever it ends. */
export interface Supervised {
  readonly name: string;
  /** Of the running one; null while it is being started again. */
  pid(): number | null;
  /** API processes that it has set up beside itself. */
  apiPids(): readonly number[];
  /** Resolves when it is up, also after it was killed; throws when it does not come up. */
  up(): Promise<void>;
  /** Whatever ends from now on was ended by us. */
  expectEnd(): void;
  stop(): Promise<void>;
}

export interface Program {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Of this process, which runs. */
  readonly isUp: (pid: number) => Promise<boolean>;
  /** It has ended and nobody had ended it. */
  readonly onUnexpectedEnd: (how: string) => void;
}

const UP_WITHIN = 120_000;

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
        program.onUnexpectedEnd(`${program.name} ended by itself (${how}):\n${lastWords(program)}`);
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
      const deadline = Date.now() + UP_WITHIN;
      while (!(child?.pid !== undefined && (await program.isUp(child.pid)))) {
        if (Date.now() > deadline) throw new Error(`${program.name} has not come up:\n${lastWords(program)}`);
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

/** One that finds no database when it starts ends, for its supervisor to start it again. */
function isFailedStart(program: Program, code: number | null): boolean {
  return code === 1 && lastWords(program).includes('The service could not start');
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

function lastWords({ logFile }: Program): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-8).join('\n');
}
