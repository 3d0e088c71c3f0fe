import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { END_WITH_PARENT } from './programs.ts';

export { SERVICE } from './programs.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * Where Node.js keeps compiled modules, as npm scripts name it. A service that compiles itself takes 4.5 s of CPU time in
 * place of 2.
 */
export function compiledModules(): string {
  return process.env.NODE_COMPILE_CACHE ?? join(ROOT, 'node_modules', '.cache', 'node');
}

export interface ChildOptions extends Pick<SpawnOptions, 'uid' | 'gid'> {
  /** All of its environment but PATH and Node's folder of compiled modules. */
  readonly environment: NodeJS.ProcessEnv;
  /** The arguments of the program; none by default. */
  readonly args?: readonly string[];
  /** Its working folder; by default the root of the repository. */
  readonly folder?: string;
  /** The descriptor of a file that takes its output; by default a pipe. */
  readonly stdout?: number;
  readonly stderr?: number;
}

/**
 * Starts a program on this Node.js, in a process group of its own, so that Ctrl-C on a terminal reaches only us. It gets
 * SIGTERM when its standard input ends, so it does not outlive us.
 *
 * @param program its absolute path
 */
export function startChild(program: string, options: ChildOptions): ChildProcess {
  const { environment, args: own = [], folder = ROOT, stdout = 'pipe', stderr = 'pipe', ...account } = options;
  const args = [
    '--max-semi-space-size=8',
    '--disable-warning=ExperimentalWarning',
    '--import',
    END_WITH_PARENT,
    program,
    ...own,
  ];
  const child = spawn(process.execPath, args, {
    ...account,
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiledModules(), ...environment },
    stdio: ['pipe', stdout, stderr],
    detached: true,
  });
  child.stdin?.on('error', () => undefined);
  return child;
}

/** Where a child listens. */
export interface Address {
  readonly url: string;
  readonly port: number;
}

/** How a child ended: its exit code, or the signal that ended it. */
export type Exit = number | NodeJS.Signals;

/** Resolves when the child ends. Call it while the child runs. */
export async function exitOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = await once(child, 'exit');
  return signal ?? code;
}

/** A child ended before it printed its address. */
export class EndedEarly extends Error {
  readonly exit: Exit;

  constructor(program: string, exit: Exit, output: string) {
    super(`${program} ended with ${exit} before it listened:\n${output}`);
    this.exit = exit;
  }
}

const SERVICE_ADDRESS = /ready at (http:\/\/\S*:(\d+))/;
const KEPT_OUTPUT = 10_000;

/**
 * Waits until the child prints its address to a pipe. Reads its output to the end: a full pipe would block the child.
 *
 * @param pattern groups the URL and the port; by default those of the service
 * @throws EndedEarly
 */
export function addressOf(child: ChildProcess, pattern: RegExp = SERVICE_ADDRESS): Promise<Address> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: Buffer) => {
      output = (output + text).slice(-KEPT_OUTPUT);
      const [, url, port] = pattern.exec(output) ?? [];
      if (url !== undefined) resolve({ url, port: Number(port) });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exitOf(child).then((exit) => reject(new EndedEarly(child.spawnargs.at(-1) ?? '', exit, output)), reject);
  });
}
