import pg from 'pg';
import { PgBoss, type QueueOptions, type QueueResult } from 'pg-boss';
import { JOBS, type Job, type JobSchedule, SCHEDULES } from '../../domain/jobs.ts';
import { SECOND } from '../../domain/time.ts';

/**
 * The queues do not use a policy that allows one request, or one run, at a time:
 *
 * One *request*: a transaction that finds another request would add none, and that request may run before the rows of
 * the transaction are visible: a lost wake-up. It would also wait for every open transaction that requests the same
 * sweep. So each request is a separate row, inserted without a conflict, and the runner completes all due requests
 * with one run.
 *
 * One *run*: the request of a killed worker would block all other sweeps until it expires. Sweeps claim their rows with
 * `for update skip locked`, so several of them share the work instead.
 */
const SWEEP: SweepQueue['options'] = {
  // A missing heartbeat shows much earlier than the end of the time of a run that its process died.
  heartbeatSeconds: 30,
  // The first retry is after 1 to 2 s, each further one after twice that; then the schedule retries: no dead letters.
  retryLimit: 4,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  // Completed requests contain nothing that the log does not.
  deleteAfterSeconds: 600,
};

/** Each minute: the longest delay after a lost wake-up. */
const CRONS: Readonly<Record<JobSchedule['every'], string>> = { minute: '* * * * *', hour: '23 * * * *' };

export const QUEUES = Object.fromEntries(JOBS.map((job) => [job, queueOf(SCHEDULES[job])])) as SweepQueues;

export interface JobMigration {
  /** The URL of the role that owns the database; it makes the schema `pgboss`. */
  readonly ownerUrl: string;
  /** The role of the service: it may change the rows of that schema, but not its tables. */
  readonly serviceRole: string;
  readonly queues?: SweepQueues;
}

/** Migrates pg-boss's schema, the queues and their schedules to those of the code. Several processes may run it. */
export async function migrateJobs({ ownerUrl, serviceRole, queues = QUEUES }: JobMigration): Promise<void> {
  const boss = new PgBoss({ connectionString: ownerUrl, max: 2, supervise: false, schedule: false });
  const faults: Error[] = [];
  boss.on('error', (error) => faults.push(error));
  try {
    await boss.start();
    await declareAll(boss, queues);
    await boss.getDb().executeSql(grants(serviceRole));
  } finally {
    await boss.stop({ graceful: false });
  }
  if (faults.length > 0) throw new AggregateError(faults, 'The job queue could not be migrated.');
}

/** Writes only what differs: most starts find every queue and its schedule as they are declared. */
async function declareAll(boss: PgBoss, queues: SweepQueues): Promise<void> {
  const [found, schedules] = await Promise.all([boss.getQueues(), boss.getSchedules()]);
  for (const [job, { options, cron }] of Object.entries(queues)) {
    const queue = found.find(({ name }) => name === job);
    if (queue === undefined) await boss.createQueue(job, options);
    else if (!isDeclared(queue, options)) await boss.updateQueue(job, options);
    const own = schedules.filter(({ name }) => name === job);
    if (!own.some((each) => !each.key && each.cron === cron && each.timezone === 'UTC')) await boss.schedule(job, cron);
  }
  for (const { name, key } of schedules) if (!(name in queues)) await boss.unschedule(name, key);
}

function isDeclared(found: QueueResult, declared: Readonly<QueueOptions>): boolean {
  return Object.entries(declared).every(([name, value]) => found[name as keyof QueueOptions] === value);
}

/** A number that no other advisory lock of the database uses. */
const LOCK = 7_382_614_906;

/**
 * One implicit transaction, and one at a time: two concurrent grants on the same table fail. It does not wait for the disk:
 * each start makes them again.
 */
function grants(role: string): string {
  const service = pg.escapeIdentifier(role);
  return `
    set local synchronous_commit to off;
    select pg_advisory_xact_lock(${LOCK});
    grant usage on schema pgboss to ${service};
    grant select, insert, update, delete on all tables in schema pgboss to ${service};
    grant usage on all sequences in schema pgboss to ${service};
    grant execute on all functions in schema pgboss to ${service};
  `;
}

export interface SweepQueue {
  readonly options: Readonly<QueueOptions>;
  /** The schedule on which the sweep runs without a request, in UTC. */
  readonly cron: string;
}

export type SweepQueues = Readonly<Record<Job, SweepQueue>>;

function queueOf({ every, longest }: JobSchedule): SweepQueue {
  return { options: { ...SWEEP, expireInSeconds: longest / SECOND }, cron: CRONS[every] };
}
