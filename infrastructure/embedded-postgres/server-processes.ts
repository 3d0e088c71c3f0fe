import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { errorCode } from '../error-code.ts';

/** A process of PostgreSQL that works in a data folder. */
export interface ServerProcess {
  readonly pid: number;
  readonly parent: number;
  readonly args: readonly string[];
}

/**
 * The processes of PostgreSQL that work in the folder. Numbers are reused, in containers after every restart: only a
 * program named `postgres` that works in this folder counts, whichever number a file has.
 * @param noted the number in `postmaster.pid`, which is all that systems without `/proc` are asked for
 */
export function serverProcesses(data: string, noted: number | undefined): readonly ServerProcess[] {
  const folder = realFolder(data);
  if (folder === undefined) return [];
  if (existsSync('/proc/self/stat')) return numbersOf(readdirSync('/proc')).flatMap((pid) => serverAt(pid, folder));
  const found = noted === undefined ? undefined : processAt(noted);
  return found?.args.includes(folder) ? [found] : [];
}

export interface Watchdog {
  /** The process that started the server; undefined for a server of a release that did not write it down. */
  readonly service: number | undefined;
  /** Another process than `service` once that has ended. */
  readonly parent: number;
}

/** The shell under which the service starts its server; undefined for a server without one. */
export function watchdogOf({ parent, args }: ServerProcess): Watchdog | undefined {
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
