import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ROLE } from '../../infrastructure/embedded-postgres/roles.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import { migrate } from '../../infrastructure/migrate.ts';
import { type Population, populate, SUBMITS_PER_HOUR } from './population.ts';

/** What is measured and what it is measured against, running: all of it goes with `close`. */
export interface Stage {
  readonly folder: string;
  readonly database: EmbeddedPostgres;
  readonly population: Population;
  readonly service: Server;
  readonly plain: Server;
  /** Ends this child, too, when the stage closes. */
  adopt(child: ChildProcess): void;
  close(): Promise<void>;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
}

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * A durable database in a folder of its own, the service on it as processes of their own, and the plain server. From here
 * on Ctrl-C ends them all and us, too.
 */
export async function openStage(workers: number): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-bench-'));
  // Root hands PostgreSQL to another user, who must reach it.
  chmodSync(folder, 0o711);
  const children = new Set<ChildProcess>();
  const adopt = (child: ChildProcess) => {
    children.add(child);
    child.once('exit', () => children.delete(child));
  };
  const starting = startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeStage(folder, children, starting);
    return closed;
  };
  closeOnSignal(close);
  try {
    const database = await starting;
    await migrate({ url: database.url, serviceRole: SERVICE_ROLE });
    const population = await populate(database);
    const service = await startService(database, workers, folder, adopt);
    const plain = await startPlainServer(database, adopt);
    return { folder, database, population, service, plain, adopt, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ends the children and then the database, and removes the folder. */
export async function closeStage(
  folder: string,
  children: Iterable<ChildProcess>,
  starting: Promise<EmbeddedPostgres>,
): Promise<void> {
  await Promise.all([...children].map(ended));
  const database = await starting.catch(() => undefined);
  await database?.stop();
  const cluster = join(folder, 'data', 'postgres');
  // It is a link where the user of the database could not reach the folder.
  if (existsSync(cluster)) rmSync(realpathSync(cluster), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

export function closeOnSignal(close: () => Promise<void>): void {
  const stop = () => {
    console.error('Interrupted: cleaning up...');
    void close().finally(() => process.exit(130));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

type Adopt = Stage['adopt'];

/** The defaults of the service but for the limits, which one key would meet at once. */
async function startService(
  database: EmbeddedPostgres,
  workers: number,
  folder: string,
  adopt: Adopt,
): Promise<Server> {
  const child = start('infrastructure/main.ts', {
    DATABASE_URL: database.serviceUrl,
    MIGRATION_DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'service'),
    SESSION_SECRET: randomBytes(32).toString('hex'),
    PASSWORD_PEPPER: randomBytes(32).toString('hex'),
    PORT: '0',
    WORKERS: String(workers),
    LOG_LEVEL: 'warn',
    MARKET_DATA_NETWORK: 'false',
    LIMIT_RATE_PER_SECOND: '1000000000',
    LIMIT_RATE_PER_MINUTE: '1000000000',
    LIMIT_READ_PER_DAY: '1000000000',
    LIMIT_SUBMITS_PER_HOUR: String(SUBMITS_PER_HOUR),
  });
  adopt(child);
  return listening(child, /ready at http:\/\/[^\s]*:(\d+)/);
}

async function startPlainServer(database: EmbeddedPostgres, adopt: Adopt): Promise<Server> {
  const child = start('scripts/bench/plain-server.ts', { DATABASE_URL: database.serviceUrl });
  adopt(child);
  return listening(child, /listening on (\d+)/);
}

function start(program: string, environment: Readonly<Record<string, string>>): ChildProcess {
  return fork(join(ROOT, program), {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...environment },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** Where it listens, from what it prints; the first group of the pattern is the port. */
function listening(child: ChildProcess, pattern: RegExp): Promise<Server> {
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (text: Buffer) => {
      output = (output + text).slice(-10_000);
      const port = pattern.exec(output)?.[1];
      if (port !== undefined) resolve({ pid: child.pid ?? 0, port: Number(port) });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => reject(new Error(`A server ended:\n${output}`)));
  });
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
