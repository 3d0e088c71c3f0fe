import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../infrastructure/embedded-postgres.ts';

/** A durable cluster in a folder of its own, and the processes that live no longer than it. */
export interface ThrowawayDatabase {
  readonly folder: string;
  readonly database: EmbeddedPostgres;
  /** Ends this child, too, when all of it is closed. */
  adopt(child: ChildProcess): void;
  /** Ends the children, then the cluster, and removes the folder. May be called again. */
  close(): Promise<void>;
}

/** From here on Ctrl-C and SIGTERM close it and end us with exit code 130. */
export async function openThrowawayDatabase(): Promise<ThrowawayDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-throwaway-'));
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
    closed ??= closeAll(folder, children, starting).finally(() => leaveSignals());
    return closed;
  };
  const leaveSignals = closeOnSignal(close);
  try {
    return { folder, database: await starting, adopt, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs work on a throwaway database, which goes when the work ends. */
export async function onThrowawayDatabase<T>(work: (throwaway: ThrowawayDatabase) => Promise<T>): Promise<T> {
  const throwaway = await openThrowawayDatabase();
  try {
    return await work(throwaway);
  } finally {
    await throwaway.close();
  }
}

async function closeAll(
  folder: string,
  children: ReadonlySet<ChildProcess>,
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

/** Returns what undoes it: one that is closed already must not end us before another is. */
function closeOnSignal(close: () => Promise<void>): () => void {
  const stop = () => {
    console.error('Interrupted: cleaning up...');
    void close().finally(() => process.exit(130));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => void process.off('SIGINT', stop).off('SIGTERM', stop);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
