import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../../../application/sha256.ts';
import type { LoneService, LoneStart } from '../stage/lone-service.ts';
import { childrenOf } from '../stage/processes.ts';
import type { Stage } from '../stage/stage.ts';
import { type Effect, type Fault, signal } from './fault.ts';

const SECRETS = ['password-pepper', 'session-secret', 'postgres-owner'] as const;

/** Removes a secret while the service is stopped: the next start must refuse and change nothing; with it back it starts. */
export const secretMissing: Fault = async ({ lone }, random) => {
  const name = SECRETS[random.below(SECRETS.length)] ?? SECRETS[0];
  const [file, aside] = [join(lone.dataDir, 'secrets', name), join(lone.dataDir, '..', `lone-${name}`)];
  const broken: string[] = [];
  renameSync(file, aside);
  const before = contentsOf(lone);
  const refused = await lone.start();
  if (refused.url !== null) {
    broken.push(`It started without ${name}`);
    await lone.stop();
  } else if (refused.code !== 1 || !refused.output.includes(name)) {
    broken.push(`Without ${name} it ended with ${refused.code}: ${lastOf(refused)}`);
  }
  const changed = differing(before, contentsOf(lone)).filter((path) => name === 'postgres-owner' || !isOfServer(path));
  if (changed.length > 0) broken.push(`The refused start without ${name} changed ${changed.join(', ')}`);
  renameSync(aside, file);
  broken.push(...(await startsWell(lone)));
  return { detail: name, broken };
};

/**
 * The numbers of a killed service and its server belong to other processes when it is started again, as after a restart of a
 * machine or a container: none of them may be ended, and the start works.
 */
export const numbersRecycled: Fault = async ({ lone }) => {
  const started = await lone.start();
  if (started.url === null) return { detail: 'no start', broken: [`It did not start: ${lastOf(started)}`] };
  await killAll(started.child, join(lone.dataDir, 'postgres', 'data'));
  const others = [aLivingProcess(), aLivingProcess()] as const;
  try {
    recycle(join(lone.dataDir, 'postgres', 'data', 'postmaster.pid'), others[0].pid ?? 0);
    recycle(join(lone.dataDir, 'instance.pid'), others[1].pid ?? 0);
    const broken = await startsWell(lone);
    if (others.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null))
      broken.push('The start ended a process of somebody else');
    return { detail: `${others.map(({ pid }) => pid).join(' and ')} are other processes`, broken };
  } finally {
    for (const other of others) other.kill('SIGKILL');
  }
};

/** The same of the server that the campaign's load uses. */
export const postmasterRecycled: Fault = async ({ database, dataDir }: Stage): Promise<Effect> => {
  const pid = database.pid();
  if (pid === null) return { detail: 'no postmaster to kill' };
  const other = aLivingProcess();
  try {
    signal(pid, 'SIGSTOP');
    recycle(join(dataDir, 'postgres', 'data', 'postmaster.pid'), other.pid ?? 0);
    signal(pid, 'SIGKILL');
    while (database.pid() === pid) await new Promise((resolve) => setTimeout(resolve, 20));
    await database.revive();
    const broken = other.exitCode === null && other.signalCode === null ? [] : ['The start ended another process'];
    return { detail: `${other.pid} is another process`, crash: true, broken };
  } finally {
    other.kill('SIGKILL');
  }
};

async function startsWell(lone: LoneService): Promise<string[]> {
  const started = await lone.start();
  if (started.url === null) return [`It did not start: ${lastOf(started)}`];
  const isWell = await lone.signsIn(started.url);
  await lone.stop();
  return isWell ? [] : ['Its owner cannot sign in any more'];
}

/** The process, its server and the server's watchdog at once, as a machine that loses its power. */
async function killAll(child: ChildProcess, data: string): Promise<void> {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const pids = [...childrenOf(child.pid ?? 0), server, ...childrenOf(server)];
  child.kill('SIGKILL');
  for (const pid of pids) signal(pid, 'SIGKILL');
  await ended;
}

/** Puts another number into the first line, for the same owner. */
function recycle(file: string, pid: number): void {
  const { uid, gid } = existsSync(file) ? statSync(file) : { uid: 0, gid: 0 };
  const [, ...rest] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : ['', ''];
  writeFileSync(file, [pid, ...rest].join('\n'));
  if (process.geteuid?.() === 0) chownSync(file, uid, gid);
}

function aLivingProcess(): ChildProcess {
  return spawn('sleep', ['600'], { stdio: 'ignore' });
}

/** The digests of all files of the data folder, the cluster's too. */
function contentsOf({ dataDir }: LoneService): ReadonlyMap<string, string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(files.map((file) => [file.slice(dataDir.length + 1), sha256Hex(readFileSync(file))]));
}

/** A start asks the database whether it was used with another secret; PostgreSQL writes these files whenever it runs. */
function isOfServer(path: string): boolean {
  return path === 'postgres.log' || path.startsWith('postgres/');
}

/** The lock is a file that every start opens. */
const OPENED = ['instance.lock', 'instance.pid'];

function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !OPENED.includes(name) && before.get(name) !== after.get(name));
}

function lastOf(start: LoneStart): string {
  return start.url === null ? start.output.trim().split('\n').slice(-4).join('\n') : '';
}
