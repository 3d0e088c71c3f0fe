import { type Db, PgBoss } from 'pg-boss';
import { JOBS, type Job, type JobQueue, type JobQueues, type QueueState } from '../../domain/jobs.ts';
import { DAY, SECOND } from '../../domain/time.ts';

/** While the database cannot be reached every poll of every queue fails; one line per interval is enough. */
const QUIET = 10 * SECOND;

/** pg-boss asserts before each statement that its connection is open. */
const CONNECTION_CLOSED = 'ERR_ASSERTION';

const IDLE = { waiting: 0, waiting_since: null, active: 0, active_since: null, silent: 0 };

/**
 * A worker gives a sign of life for each request at half of `heartbeat_seconds`; after four times as long it has died or is
 * stopped, and no supervisor gave the request to another one, which takes a minute. The states are in the order in which pg-boss compares them, so that its index of open requests is used.
 */
const STATES = `
  select name as job,
    (count(*) filter (where is_waiting))::int as waiting, min(start_after) filter (where is_waiting) as waiting_since,
    (count(*) filter (where not is_waiting))::int as active, min(started_on) filter (where not is_waiting) as active_since,
    (count(*) filter (where not is_waiting
      and coalesce(heartbeat_on, started_on) < now() - 4 * heartbeat_seconds * interval '1 second'))::int as silent
  from (select *, state < 'active' as is_waiting from pgboss.job
    where name = any($1::text[]) and (state = 'active' or (state < 'active' and start_after <= now()))) open
  group by name`;

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

/** The requests that pg-boss has of each job. Their times are of the server's clock, which pg-boss uses too. */
function queueStates(sql: JobSql): JobQueues {
  return {
    async states() {
      const rows = (await sql.rows(STATES, [[...JOBS]])) as readonly QueueState[];
      return JOBS.map((job) => rows.find((row) => row.job === job) ?? { job, ...IDLE });
    },
  };
}

export interface JobLog {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/**
 * Logs pg-boss's own errors. Without an `error` listener the first lost connection would end the process. `isStopping`:
 * a sweep that outlasts the stop finds the connection closed, after its requests were handed to another run.
 */
export function logFaults(boss: PgBoss, log: JobLog, isStopping: () => boolean = () => false): void {
  const loggedAt = new Map<string, number>();
  boss.on('error', (fault: Error & { readonly code?: string; readonly queue?: string }) => {
    if (isStopping() && fault.code === CONNECTION_CLOSED) {
      log.warn('A sweep took longer than the stop waits for it; the next run does its work', { queue: fault.queue });
      return;
    }
    const error = faultOf(fault);
    const now = Date.now();
    if (now - (loggedAt.get(error.message) ?? 0) < QUIET) return;
    loggedAt.set(error.message, now);
    log.error('The job queue reported an error; it continues to poll', { queue: fault.queue, error });
  });
  // pg-boss has only a few texts, so the map stays small.
  boss.on('warning', ({ message, data }) => log.warn(message, { data }));
}

/** pg-boss reports a copy that is not an Error; its message ends with the queue and a random worker. */
function faultOf({ message, stack, ...rest }: Error): Error {
  return Object.assign(new Error(message.replace(/ \(Queue: .*$/, '')), { ...rest, stack });
}

/** A pool, or the connection of one transaction. */
export interface JobSql {
  /** A statement with a `name` is planned once per connection. */
  rows(text: string, values: readonly unknown[], name?: string): Promise<readonly unknown[]>;
}
