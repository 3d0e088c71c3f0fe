import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../infrastructure/embedded-postgres.ts';
import { closeOnSignal, closeStage } from './stage.ts';

/** Runs work on a durable cluster in a folder of its own; both go when it ends, also by Ctrl-C. */
export async function onThrowawayDatabase<T>(work: (database: EmbeddedPostgres, folder: string) => Promise<T>) {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-bench-'));
  // Root hands PostgreSQL to another user, who must reach it.
  chmodSync(folder, 0o711);
  const starting = startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeStage(folder, [], starting);
    return closed;
  };
  closeOnSignal(close);
  try {
    return await work(await starting, folder);
  } finally {
    await close();
  }
}
