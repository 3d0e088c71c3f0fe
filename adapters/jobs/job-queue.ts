import { type Db, PgBoss } from 'pg-boss';
import { JOBS, type Job, type JobQueue, type JobQueues } from '../../domain/jobs.ts';
import { DAY } from '../../domain/time.ts';
import { type JobLog, logFaults } from './job-log.ts';
import type { JobSql } from './job-sql.ts';
import { queueStates } from './queue-states.ts';

export type { JobSql } from './job-sql.ts';

export interface OpenJobQueue {
  /** Each request is committed by itself. */
  readonly queue: JobQueue;
  /** A queue whose requests appear when the transaction of `sql` commits. One round trip each, no lock. */
  inTransaction(sql: JobSql): JobQueue;
  /** What waits and runs. */
  readonly states: JobQueues;
  close(): Promise<void>;
}

/**
 * The sending side, on the service's own pool. It keeps no connection and sends nothing while it is idle.
 * @throws when `migrateJobs` has not been run on the database, or by another version of pg-boss.
 */
export async function openJobQueue({ sql, log }: { sql: JobSql; log: JobLog }): Promise<OpenJobQueue> {
  // The names of the queues do not change while the process runs, so the cache is refreshed only once an hour.
  const idle = { migrate: false, supervise: false, schedule: false, queueCacheIntervalSeconds: 3600 };
  const boss = new PgBoss({ ...idle, db: { executeSql: (text, values) => result(sql.rows(text, values ?? [])) } });
  logFaults(boss, log);
  const close = () => boss.stop({ graceful: false });
  try {
    await boss.start();
    await assertQueues(boss);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    queue: jobQueue(boss, sql),
    inTransaction: (transaction) => jobQueue(boss, transaction),
    states: queueStates(sql),
    close,
  };
}

/** @throws when a queue that the code names is not in the database. */
export async function assertQueues(boss: PgBoss): Promise<void> {
  const known = new Set((await boss.getQueues([...JOBS])).map(({ name }) => name));
  const missing = JOBS.filter((job) => !known.has(job));
  if (missing.length > 0) throw new Error(`The migrations have not made the queues ${missing.join(', ')}.`);
}

/** Sends on the connection of `sql`, by default on that of `boss`. */
export function jobQueue(boss: PgBoss, sql?: JobSql): JobQueue {
  return {
    async enqueue(job: Job, at?: Date) {
      const id = await boss.send(job, null, { ...startAfter(at), ...(sql && { db: sending(job, sql) }) });
      if (id === null) throw new Error(`The queue ${job} has disappeared.`);
    },
  };
}

/** A send is one statement, the same for each queue, and takes PostgreSQL four times as long to plan as to run. */
function sending(job: Job, sql: JobSql): Db {
  return { executeSql: (text, values) => result(sql.rows(text, values ?? [], `enqueue ${job}`)) };
}

async function result(rows: Promise<readonly unknown[]>): Promise<{ rows: unknown[] }> {
  return { rows: [...(await rows)] };
}

/** pg-boss deletes a request some days after its start, so a start in the distant past is left out. */
function startAfter(at: Date | undefined): { startAfter?: string } {
  return at === undefined || at.getTime() < Date.now() - DAY ? {} : { startAfter: at.toISOString() };
}
