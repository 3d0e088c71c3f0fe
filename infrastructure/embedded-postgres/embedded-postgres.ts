import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { randomSecret, replaceSecret } from '../config/stored-secrets.ts';
import { findBinaries } from './binaries.ts';
import { closeFiles } from './close-files.ts';
import { alterPassword, openCluster } from './cluster.ts';
import { type InstanceLock, InstanceRunning, lockInstance, refusal } from './instance-lock.ts';
import { endOrphan, readyServer, servingProcess } from './postmaster.ts';
import { OWNER_ROLE, ROLES, rolePasswords, SERVICE_ROLE, urlOf } from './roles.ts';
import { openServerHome, type ServerHome } from './server-home.ts';
import { type RunningServer, superviseServer } from './supervisor.ts';
import { takeOverHome } from './take-over.ts';

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
  const { dataDir, log, durable = true, environment } = options;
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
    const server = await superviseServer({ home, postgres: binaries.postgres, data, logFile, durable, environment });
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
