import { openJobQueue } from '../../adapters/jobs/job-queue.ts';
import { openPostgres, type PostgresStorage } from '../../adapters/postgres/storage.ts';
import { type Config, sessionValues } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';
import { VERSION } from '../version.ts';

/** The storage of this process, with the job queue in the same database. The database is migrated. */
export function openStorage(url: string, { database, secrets }: Config, log: Logger): Promise<PostgresStorage> {
  const onTrouble = (error: unknown) =>
    log.warn('The replica did not answer; the primary answers reads until its pause ends', { error });
  return openPostgres({
    url,
    poolSize: database.pool,
    pooled: database.pooled,
    replies: { most: database.storedReplies, secret: sessionValues(secrets), release: VERSION },
    replica: database.readUrl === null ? null : { url: database.readUrl, onTrouble },
    onIdleError: (error) => log.warn('An idle database connection broke; the pool replaces it', { error }),
    openJobs: (sql) => openJobQueue({ sql, log }),
  });
}
