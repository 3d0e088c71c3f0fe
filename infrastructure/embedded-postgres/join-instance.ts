import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../domain/time.ts';
import { type DatabaseUrls, findEmbeddedPostgres } from './embedded-postgres.ts';
import { InstanceRunning } from './instance-lock.ts';

/** Milliseconds that a service may take from the start of its process to a database that answers. */
const PATIENCE = 15 * SECOND;

/**
 * The database that another process runs on the folder, else what `start` starts. A process that is just starting or
 * stopping has the folder without a database that answers, so this tries again for some seconds.
 * @throws InstanceRunning when it takes longer
 */
export async function joinInstance<Started>(
  dataDir: string,
  start: () => Promise<Started>,
): Promise<{ readonly running: DatabaseUrls } | { readonly started: Started }> {
  for (const deadline = performance.now() + PATIENCE; ; await sleep(200)) {
    const running = findEmbeddedPostgres(dataDir);
    if (running !== null) return { running };
    try {
      return { started: await start() };
    } catch (error) {
      if (!(error instanceof InstanceRunning) || performance.now() > deadline) throw error;
    }
  }
}
