import { chmodSync, chownSync, existsSync, lchownSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { randomSecret, replaceSecret } from '../config/stored-secrets.ts';
import { alterPassword, findBinaries, openCluster } from './cluster.ts';
import { type InstanceLock, InstanceRunning, lockInstance, refusal } from './instance-lock.ts';
import { endOrphan, readyServer, servingProcess } from './postmaster.ts';
import { OWNER_ROLE, ROLES, rolePasswords, SERVICE_ROLE, urlOf } from './roles.ts';
import { type Account, accountNamed, openServerHome, type ServerHome } from './server-home.ts';
import { type RunningServer, superviseServer } from './supervisor.ts';

const NAMES = ['instance.lock', 'instance.pid', 'postgres.log', 'postgres.log.1', 'secrets', 'bars'] as const;

/** The addresses of a database. */
export interface DatabaseUrls {
  /** The URL of the schema's owner, for migrations. */
  readonly url: string;
  /** The URL of the service's role, which has the rights that the migrations grant. */
  readonly serviceUrl: string;
}

export interface EmbeddedPostgres extends DatabaseUrls {
  /** Process id of the server. */
  readonly pid: number;
  /** Resolves when the server has ended, for any reason. */
  readonly exited: Promise<void>;
  /** Ends the server by a fast shutdown and releases the data folder. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Contains the cluster, its passwords and its log; made if missing. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Called once PostgreSQL is starting, for work that need not wait for it. */
  readonly meanwhile?: () => void;
  /** false: faster, but a crash may lose data; for tests only. */
  readonly durable?: boolean;
  /** Further variables of the server's environment; for tests only. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Starts the packaged PostgreSQL on the data folder, which it makes on first use; returns when it accepts connections.
 * No server outlives this process, however the process ends. Throws, in words for the operator, when another instance
 * runs on the folder, the folder belongs to another major version, or the server does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, meanwhile = () => undefined, durable = true, environment } = options;
  const home = openServerHome(dataDir, log);
  // Before anything opens the lock file: closing it would release a lock that this process has on it.
  refuseServed(dataDir, home);
  closeFiles(dataDir);
  const lock = lockInstance(dataDir, log);
  try {
    refuseServed(dataDir, home);
    const passwords = rolePasswords(dataDir);
    const binaries = findBinaries(home);
    await endOrphan(join(home.folder, 'data'), log);
    takeOverHome(home, log);
    const data = openCluster({ home, binaries, passwords, durable });
    const logFile = join(dataDir, 'postgres.log');
    const { postgres } = binaries;
    const server = await superviseServer({ home, postgres, data, logFile, durable, environment }, meanwhile);
    log(`PostgreSQL ${binaries.major} runs on 127.0.0.1:${server.port}, its data in ${data}`);
    return started(server, lock, urls(dataDir, server.port));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Gives the role of that file another password, and the file with it.
 * @throws InstanceRunning while a service runs on the folder
 */
export async function renewRolePassword(dataDir: string, name: keyof typeof ROLES): Promise<void> {
  const log = () => undefined;
  const home = openServerHome(dataDir, log);
  refuseServed(dataDir, home);
  const lock = lockInstance(dataDir);
  try {
    await endOrphan(join(home.folder, 'data'), log);
    takeOverHome(home, log);
    const text = randomSecret();
    alterPassword(home, findBinaries(home), ROLES[name], text);
    replaceSecret(dataDir, { name, text });
  } finally {
    lock.release();
  }
}

/** The server that another process (the running service) has started on the folder, or null: for the command line. */
export function findEmbeddedPostgres(dataDir: string): DatabaseUrls | null {
  const data = join(dataDir, 'postgres', 'data');
  const server = existsSync(data) ? readyServer(realpathSync(data)) : undefined;
  return server ? urls(dataDir, server.port) : null;
}

/** Also where somebody removed the lock of the service that runs. */
function refuseServed(dataDir: string, { folder }: ServerHome): void {
  const pid = servingProcess(join(folder, 'data'));
  if (pid !== undefined) throw new InstanceRunning(refusal(dataDir, String(pid)));
}

function started(server: RunningServer, lock: InstanceLock, urls: DatabaseUrls): EmbeddedPostgres {
  const stopped = server.exited.then(() => lock.release());
  return {
    ...urls,
    pid: server.pid,
    exited: server.exited,
    async stop() {
      await server.stop();
      await stopped;
    },
  };
}

function urls(dataDir: string, port: number): DatabaseUrls {
  const { owner, service } = rolePasswords(dataDir);
  return { url: urlOf(OWNER_ROLE, owner, port), serviceUrl: urlOf(SERVICE_ROLE, service, port) };
}

/**
 * Closes to other users what earlier releases wrote into the data folder: files 0600, folders 0700; and gives what root
 * wrote into a folder of another user to that user. The folder may contain more than the service's own, so only its names
 * are touched, and only what belongs to this user.
 */
function closeFiles(dataDir: string): void {
  const isAnothers = statSync(dataDir).uid !== process.geteuid?.();
  for (const name of NAMES) {
    close(join(dataDir, name));
    if (isAnothers) giveToFolder(join(dataDir, name), { below: true });
  }
}

/** Folders last, so that an interrupted pass is made again. */
function close(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== process.geteuid?.() || (found.mode & 0o077) === 0) return;
  if (found.isDirectory()) {
    for (const name of readdirSync(path)) close(join(path, name));
    chmodSync(path, 0o700);
  } else if (found.isFile()) chmodSync(path, 0o600);
}

/**
 * Gives a cluster that an earlier release left to `nobody` to the account that runs PostgreSQL now, and whatever root wrote
 * or copied into it. No server may run in it. A take-over that was interrupted continues: the folder is root's until the
 * last file was given.
 *
 * Other programs may run as the former owner. Each folder changes hands before its entries are read, so such a program
 * cannot put a link in place of an entry; entries of other users stay theirs.
 */
export function takeOverHome({ folder, account }: ServerHome, log: (line: string) => void): void {
  if (account === undefined) return;
  const owner = statSync(folder).uid;
  const former = owner === account.uid ? undefined : accountNamed('nobody');
  if (owner === 0 || owner === former?.uid) {
    chownSync(folder, 0, 0);
    if (former) giveEntries(folder, former, account);
    chownSync(folder, account.uid, account.gid);
    log(`Gave ${folder} to user ${account.uid}, which runs PostgreSQL in it`);
  }
  for (const name of readdirSync(folder)) giveToFolder(join(folder, name), { below: true });
}

function giveEntries(folder: string, former: Account, { uid, gid }: Account): void {
  for (const name of readdirSync(folder)) {
    const entry = join(folder, name);
    const found = lstatSync(entry);
    if (found.uid === former.uid) lchownSync(entry, uid, gid);
    else if (found.uid !== uid) continue;
    if (found.isDirectory()) giveEntries(entry, former, { uid, gid });
  }
}
