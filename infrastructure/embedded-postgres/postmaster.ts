import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../adapters/files/folder-owner.ts';
import { errorCode } from '../error-code.ts';
import { StartRefused } from '../start-refused.ts';

/** The state that a server writes into its data folder. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The server that `postmaster.pid` of the data folder names, running or not. */
export function readPostmaster(data: string): Postmaster | undefined {
  const lines = pidLines(data) ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid < 1) return undefined;
  return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/** The server that runs in the data folder and accepts connections. */
export function readyServer(data: string): Postmaster | undefined {
  const server = readPostmaster(data);
  return server?.ready && serverProcesses(data, server.pid).some(({ pid }) => pid === server.pid) ? server : undefined;
}

/**
 * The process id of the service whose server runs in the data folder; undefined where none does. It does not depend on
 * the instance lock, whose file somebody may have removed.
 */
export function servingProcess(data: string): number | undefined {
  for (const server of serversIn(data)) {
    const watchdog = watchdogOf(server);
    if (watchdog?.parent !== undefined && watchdog.parent === watchdog.service) return watchdog.service;
  }
  return undefined;
}

/**
 * Ends a server whose parent and watchdog are gone, so that the folder is free, and makes its `postmaster.pid` one that
 * the next server accepts. The caller holds the instance lock.
 */
export async function endOrphan(data: string, log: (line: string) => void): Promise<void> {
  const [orphan] = serversIn(data);
  if (orphan !== undefined) {
    const isLeftAlone = watchdogOf(orphan) === undefined && !orphan.args.includes('--single');
    log(`${isLeftAlone ? 'Ending' : 'Waiting for'} the PostgreSQL (pid ${orphan.pid}) that an earlier run left behind`);
    await end(data, isLeftAlone ? ORPHANED : WATCHED, orphan);
  }
  freePid(data);
}

/**
 * Milliseconds. The watchdog of a service that was killed ends the server itself. A service of another container looks
 * like it, and so does somebody who repairs the folder by hand: their server is theirs.
 */
const WATCHED = [{ signal: null, wait: 30_000 }] as const;
/** Fast shutdown, then the immediate one, after which the next start recovers from the log. Milliseconds. */
const ORPHANED = [
  { signal: 'SIGINT', wait: 20_000 },
  { signal: 'SIGQUIT', wait: 10_000 },
] as const;

async function end(data: string, steps: typeof WATCHED | typeof ORPHANED, { pid }: ServerProcess): Promise<void> {
  for (const { signal, wait } of steps) {
    if (signal !== null) for (const server of serversIn(data)) kill(server.pid, signal);
    const deadline = performance.now() + wait;
    while (performance.now() < deadline) {
      if (serversIn(data).length === 0) return;
      await sleep(20);
    }
  }
  throw new StartRefused(
    `A PostgreSQL (pid ${pid}) of another run works in ${data} and does not end. Stop the service that it belongs to, or end that process, then start again.`,
  );
}

/** The postmaster of the folder, and backends that outlived theirs. */
function serversIn(data: string): readonly ServerProcess[] {
  const processes = serverProcesses(data, readPostmaster(data)?.pid);
  return processes.filter(({ parent }) => !processes.some(({ pid }) => pid === parent));
}

/** A zombie counts as alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

/**
 * No server runs in the folder, so the number in `postmaster.pid` is of no process, or of another program by now, at which
 * PostgreSQL would refuse to start. The file remains, with a number that no process can have: by its shared memory key
 * the server still detects backends of a killed predecessor. One that is empty or damaged, or that the server's user
 * cannot read, would refuse every start, and says nothing.
 */
function freePid(data: string): void {
  const file = join(data, 'postmaster.pid');
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  const lines = pidLines(data);
  const isWhole = lines !== undefined && readPostmaster(data) !== undefined && lines.length >= LINES_WITH_KEY;
  replaceFile(file, isWhole ? [IMPOSSIBLE, ...lines.slice(1)].join('\n') : null);
}

const IMPOSSIBLE = '2147483646';
/** Number, folder, start, port, socket folder, address, shared memory key. */
const LINES_WITH_KEY = 7;

function pidLines(data: string): readonly string[] | undefined {
  try {
    return readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
}

/** A process of PostgreSQL that works in a data folder. */
interface ServerProcess {
  readonly pid: number;
  readonly parent: number;
  readonly args: readonly string[];
}

/**
 * The processes of PostgreSQL that work in the folder. Numbers are reused, in containers after every restart: only a
 * program named `postgres` that works in this folder counts, whichever number a file has.
 * @param noted the number in `postmaster.pid`, which is all that systems without `/proc` are asked for
 */
function serverProcesses(data: string, noted: number | undefined): readonly ServerProcess[] {
  const folder = realFolder(data);
  if (folder === undefined) return [];
  if (existsSync('/proc/self/stat')) return numbersOf(readdirSync('/proc')).flatMap((pid) => serverAt(pid, folder));
  const found = noted === undefined ? undefined : processAt(noted);
  return found?.args.includes(folder) ? [found] : [];
}

interface Watchdog {
  /** The process that started the server; undefined for a server of a release that did not write it down. */
  readonly service: number | undefined;
  /** Another process than `service` once that has ended. */
  readonly parent: number;
}

/** The shell under which the service starts its server; undefined for a server without one. */
function watchdogOf({ parent, args }: ServerProcess): Watchdog | undefined {
  const watchdog = processAt(parent);
  const folder = args[args.indexOf('-D') + 1];
  if (watchdog === undefined || folder === undefined) return undefined;
  if (basename(watchdog.args[0] ?? '') !== 'sh' || !watchdog.args.includes(folder)) return undefined;
  const [, service] = /^stancebook-(\d+)$/.exec(watchdog.args.find((arg) => arg.startsWith('stancebook-')) ?? '') ?? [];
  return { service: service === undefined ? undefined : Number(service), parent: watchdog.parent };
}

/** The name by which `watchdogOf` knows whose watchdog a shell is. */
export function watchdogName(): string {
  return `stancebook-${process.pid}`;
}

function realFolder(data: string): string | undefined {
  try {
    return realpathSync(data);
  } catch {
    return undefined;
  }
}

function numbersOf(names: readonly string[]): readonly number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

function serverAt(pid: number, folder: string): readonly ServerProcess[] {
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres' || !worksIn(pid, folder)) return [];
  } catch {
    return [];
  }
  const found = processAt(pid);
  return found === undefined ? [] : [found];
}

/** In a container root may not look at processes of other users, but can do so as their user. */
function worksIn(pid: number, folder: string): boolean {
  const link = `/proc/${pid}/cwd`;
  try {
    return readlinkSync(link) === folder;
  } catch (error) {
    if (errorCode(error) !== 'EACCES' || process.geteuid?.() !== 0) return false;
    const { uid, gid } = statSync(`/proc/${pid}`);
    return spawnSync('readlink', [link], { uid, gid, cwd: '/', encoding: 'utf8' }).stdout?.trim() === folder;
  }
}

function processAt(pid: number): ServerProcess | undefined {
  try {
    if (!existsSync('/proc/self/stat')) {
      const line = execFileSync('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' });
      const [parent, ...args] = line.trim().split(/\s+/);
      return { pid, parent: Number(parent), args };
    }
    const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return { pid, parent: Number(parent), args: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') };
  } catch {
    return undefined;
  }
}
