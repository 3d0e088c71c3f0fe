import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const MAIN = join(ROOT, 'infrastructure/main.ts');
const WITH_PARENT = join(ROOT, 'scripts/end-with-parent.ts');
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
      if (child) await ended(child);
    },
  };
}

/** One that finds no database when it starts ends, for its supervisor to start it again. */
function isFailedStart(program: Program, code: number | null): boolean {
  return code === 1 && lastWords(program).includes('The service could not start');
}

/** It ends with us however we end; in a group of its own, so that Ctrl-C reaches us first. */
function launch({ environment, logFile }: Program): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', WITH_PARENT, MAIN], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
      stdio: ['pipe', log, log],
      detached: true,
    });
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

/** In order; one that does not end in time is killed with all of its group. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended in the meantime.
    }
  }, 30_000);
  await gone;
  clearTimeout(late);
}
