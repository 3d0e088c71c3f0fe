import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { errorCode } from '../error-code.ts';
import { serverSettings } from './cluster.ts';
import { kill, readPostmaster, watchdogName } from './postmaster.ts';
import type { ServerHome } from './server-home.ts';

/** Below the ports that systems assign to outgoing connections and to servers without a fixed port. */
const LOWEST = 20_000;

const HIGHEST = 32_000;

const TRIES = 100;

export interface ServerPlan {
  readonly home: ServerHome;
  readonly postgres: string;
  readonly data: string;
  readonly logFile: string;
  readonly durable: boolean;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the server under its watchdog on a free port of 127.0.0.1 and waits until it accepts connections.
 * @param meanwhile called once, when the server is starting
 */
export async function superviseServer(plan: ServerPlan, meanwhile: () => void): Promise<RunningServer> {
  rotate(plan.logFile);
  for (let attempt = 1; ; attempt += 1) {
    const logged = sizeOf(plan.logFile);
    const port = await freePort();
    const watchdog = launch(plan, port);
    if (attempt === 1) meanwhile();
    const exited = whenExited(watchdog);
    const pid = await whenReady(watchdog, plan.data, port, exited);
    if (pid !== undefined) return running(watchdog, pid, port, exited);
    const output = readFileSync(plan.logFile).subarray(logged).toString();
    if (attempt === ATTEMPTS || !PASSING.test(output)) throw new Error(failure(plan, output));
    await sleep(200);
  }
}

const ATTEMPTS = 10;
/** The port was taken between the check and the start, or backends of a killed server are still ending. */
const PASSING = /could not bind|could not create any TCP|pre-existing shared memory block|lock file "postmaster.pid"/;
const LOG_BYTES = 5 * 1024 * 1024;
/** Milliseconds. The immediate shutdown that follows loses nothing: the next start recovers from the log. */
const STOP_DEADLINE = 8_000;

/**
 * Runs the server together with a watchdog that reads a pipe of this process. The kernel closes the pipe when the
 * process dies, kill -9 included. The watchdog then requests a fast shutdown repeatedly, since a new server does not
 * listen yet.
 */
const WATCHDOG = `
trap '' INT TERM HUP
exec 3<&0 </dev/null
"$@" 3<&- >&2 &
server=$!
(
  read -r _ <&3
  for pause in 1 1 2 5 10 20 20; do kill -INT "$server" || exit; sleep "$pause"; done
  kill -QUIT "$server"
) >/dev/null 2>&1 &
guard=$!
exec 3<&-
echo "$server"
exec >&-
wait "$server"
status=$?
kill -KILL "$guard"
wait "$guard" 2>/dev/null
exit "$status"
`;

/** A fact that spawn's types cannot express: both pipes are sockets. */
type Watchdog = ChildProcess & { readonly stdin: Socket; readonly stdout: Socket };

/** In a process group of its own, so that Ctrl-C in a terminal reaches the application first, and it alone. */
function launch({ home, postgres, data, logFile, durable, environment }: ServerPlan, port: number): Watchdog {
  const logHandle = openSync(logFile, 'a', 0o600);
  try {
    giveToFolder(logFile);
    return spawn('/bin/sh', ['-c', WATCHDOG, watchdogName(), postgres, '-D', data, ...serverSettings(port, durable)], {
      ...home.account,
      cwd: home.folder,
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C', ...environment },
      stdio: ['pipe', 'pipe', logHandle],
      detached: true,
    }) as Watchdog;
  } finally {
    closeSync(logHandle);
  }
}

/** The server's process id once it accepts connections, undefined when it ended instead. Recovery may take minutes. */
async function whenReady(watchdog: Watchdog, data: string, port: number, exited: Promise<void>) {
  const ended = exited.then(() => true);
  let announced = '';
  watchdog.stdout.on('data', (text: Buffer) => {
    announced += text;
  });
  for (;;) {
    const server = readPostmaster(data);
    // After a restart of a container the old file may contain the new pid, but not the new port.
    if (server?.ready && server.pid === Number(announced) && server.port === port) return server.pid;
    if (await Promise.race([ended, sleep(10, false)])) return undefined;
  }
}

/**
 * A program that does not stop the server still ends: neither watchdog nor pipe blocks it, and its end closes the pipe.
 */
function running(watchdog: Watchdog, pid: number, port: number, exited: Promise<void>): RunningServer {
  watchdog.unref();
  watchdog.stdin.unref();
  watchdog.stdout.unref();
  return {
    pid,
    port,
    exited,
    async stop() {
      // The id may belong to another process now.
      if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
      watchdog.ref();
      kill(pid, 'SIGINT');
      const late = setTimeout(() => kill(pid, 'SIGQUIT'), STOP_DEADLINE);
      await exited;
      clearTimeout(late);
    },
  };
}

function whenExited(watchdog: Watchdog): Promise<void> {
  watchdog.stdin.on('error', () => undefined);
  return new Promise((resolve) => {
    watchdog.once('exit', () => resolve());
    watchdog.once('error', () => resolve());
  });
}

/** One that this user may not write, because a start as root made it, makes way as well. */
function rotate(logFile: string): void {
  if (sizeOf(logFile) > LOG_BYTES || !isWritable(logFile)) renameSync(logFile, `${logFile}.1`);
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function failure({ logFile }: ServerPlan, output: string): string {
  const last = output.trim().split('\n').slice(-12).join('\n');
  return `PostgreSQL did not start. The last lines of ${logFile}:\n${last || '(nothing was written)'}`;
}

/**
 * A TCP port of 127.0.0.1 that is free now. Another process may take it before the caller does, but only if it requests
 * exactly this port. Outgoing connections never get it, so a server can use it again after a restart.
 *
 * @throws Error when a hundred random ports between 20,000 and 32,000 are taken
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${TRIES} random TCP ports from ${LOWEST} to ${HIGHEST} is free.`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
