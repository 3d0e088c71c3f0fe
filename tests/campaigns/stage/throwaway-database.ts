import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { closeOnSignal } from './interruption.ts';
import { type Adopt, stopServer } from './server-process.ts';

/** A durable cluster in a folder of its own, and the processes that end with it. */
export interface ThrowawayDatabase {
  readonly folder: string;
  readonly database: EmbeddedPostgres;
  /** Makes `close` stop this process, too. */
  readonly adopt: Adopt;
  /** Whether it is being closed: what is sent then gets no reply. */
  isClosing(): boolean;
  /** Stops the processes, then the cluster, and removes the folder. May be called again. */
  close(): Promise<void>;
}

/** Opens a cluster. Until it is closed, Ctrl-C and SIGTERM close it and end the campaign with exit code 130. */
export async function openThrowawayDatabase(): Promise<ThrowawayDatabase> {
  const folder = makeThrowawayFolder('throwaway');
  const children = new Set<ChildProcess>();
  const adopt = (child: ChildProcess) => {
    children.add(child);
    child.once('exit', () => children.delete(child));
  };
  const starting = startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeAll(folder, children, starting).finally(() => ignoreSignals());
    return closed;
  };
  const ignoreSignals = closeOnSignal(close);
  try {
    return { folder, database: await starting, adopt, close, isClosing: () => closed !== undefined };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs work on a throwaway database, and closes that when the work ends. */
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
  await Promise.all([...children].map(stopServer));
  const database = await starting.catch(() => undefined);
  await database?.stop();
  removeThrowawayFolder(folder);
}
