import pg from 'pg';
import { type JobSql, type OpenJobQueue, openJobQueue } from '../../../adapters/jobs/job-queue.ts';
import { migrateJobs, QUEUES, type SweepQueue, type SweepQueues } from '../../../adapters/jobs/migrate-jobs.ts';
import { type JobRunner, type RunnerPace, startJobRunner } from '../../../adapters/jobs/runner.ts';
import type { Sweep, Sweeps } from '../../../adapters/jobs/sweep.ts';
import { JOBS } from '../../../domain/jobs.ts';
import { freshDatabase, roleOf } from '../../harness/database.ts';

/** A database with queues, and whatever a test opens on it. */
export interface Bench {
  readonly url: string;
  readonly serviceUrl: string;
  readonly sql: JobSql;
  readonly queue: OpenJobQueue;
  readonly complaints: Complaint[];
  run(sweeps: Partial<Sweeps>, pace?: Partial<RunnerPace>, before?: () => Promise<void>): Promise<JobRunner>;
  /** Work on a connection of its own within a transaction that ends as `end` says. */
  transaction(end: 'commit' | 'rollback', work: (sql: JobSql) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface Complaint {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The queues as declared, with other options and a schedule that leaves a test in peace (unless it is about it). */
export function queuesWith(options: SweepQueue['options'], cron = '0 0 1 1 *'): SweepQueues {
  return Object.fromEntries(
    JOBS.map((job) => [job, { options: { ...QUEUES[job].options, ...options }, cron }]),
  ) as SweepQueues;
}

export async function openBench(queues = queuesWith({})): Promise<Bench> {
  const database = await freshDatabase({ empty: true });
  await migrateJobs({ ownerUrl: database.url, serviceRole: roleOf(database.serviceUrl), queues });
  const { pool, sql, end } = poolOn(database.serviceUrl);
  const complaints: Complaint[] = [];
  const complain = (message: string, fields: Complaint['fields']) => void complaints.push({ message, fields });
  const log = { warn: complain, error: complain };
  const queue = await openJobQueue({ sql, log });
  const runners: JobRunner[] = [];
  return {
    ...database,
    sql,
    queue,
    complaints,
    async run(sweeps, pace, before) {
      const runner = await startJobRunner({
        url: database.serviceUrl,
        sweeps: { ...RESTING, ...sweeps },
        log,
        ...(pace && { pace }),
        ...(before && { before }),
      });
      runners.push(runner);
      return runner;
    },
    transaction: (end, work) => withinTransaction(pool, end, work),
    async close() {
      await Promise.all(runners.map((runner) => runner.stop(1)));
      await queue.close();
      await end();
      await database.drop();
    },
  };
}

/** A test on a bench of its own, so that tests can run concurrently: most of their time they wait. */
export function onBench(work: (bench: Bench) => Promise<void>, queues?: SweepQueues): () => Promise<void> {
  return async () => {
    const bench = await openBench(queues);
    try {
      await work(bench);
    } finally {
      await bench.close();
    }
  };
}

/** The states of the requests for `evaluate-due`, in the order of their moments. */
export async function states({ sql }: Bench): Promise<readonly string[]> {
  const rows = await sql.rows(
    `select state::text from pgboss.job where name = 'evaluate-due' order by start_after, created_on`,
    [],
  );
  return rows.map((row) => (row as { readonly state: string }).state);
}

export function poolOn(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  const sql: JobSql = {
    rows: async (text, values, name) => (await pool.query({ text, values: [...values], ...(name && { name }) })).rows,
  };
  return { pool, sql, end: () => pool.end() };
}

const RESTING: Sweeps = {
  'verify-instruments': async () => undefined,
  'evaluate-due': async () => undefined,
  'grade-backtests': async () => undefined,
  'fold-cohorts': async () => undefined,
  'build-atlas': async () => undefined,
  'observe-pegs': async () => undefined,
  'keep-log': async () => undefined,
  'prune-expired': async () => undefined,
  'refresh-symbols': async () => undefined,
  'learn-names': async () => undefined,
  'deliver-webhooks': async () => undefined,
  'send-mails': async () => undefined,
  'erase-owners': async () => undefined,
  'reset-factors': async () => undefined,
  'publish-dataset': async () => undefined,
};

async function withinTransaction(pool: pg.Pool, end: string, work: (sql: JobSql) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work({
      rows: async (text, values, name) =>
        (await client.query({ text, values: [...values], ...(name && { name }) })).rows,
    });
    await client.query(end);
  } finally {
    client.release();
  }
}

/** A sweep that counts its runs. */
export function counting(): { readonly sweep: Sweep; readonly runs: () => number } {
  let runs = 0;
  return {
    runs: () => runs,
    sweep: async () => {
      runs += 1;
    },
  };
}

/** Waits for what must come, and gives up before the test's own limit would leave it waiting for ever. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + 90_000;
  while (!(await holds())) {
    if (Date.now() > limit) throw new Error(`It has not come to hold: ${holds}`);
    await pause(20);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, milliseconds));
}
