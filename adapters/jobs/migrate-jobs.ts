import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Job } from '../../domain/jobs.ts';
import { QUEUES, type SweepQueue, type SweepQueues } from './queues.ts';

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
    for (const [job, queue] of Object.entries(queues)) await declare(boss, job as Job, queue);
    await forgetSchedules(boss, queues);
    await boss.getDb().executeSql(grants(serviceRole));
  } finally {
    await boss.stop({ graceful: false });
  }
  if (faults.length > 0) throw new AggregateError(faults, 'The job queue could not be migrated.');
}

async function declare(boss: PgBoss, job: Job, { options, cron }: SweepQueue): Promise<void> {
  await boss.createQueue(job, options);
  // Creating an existing queue does not change its options.
  await boss.updateQueue(job, options);
  await boss.schedule(job, cron);
}

async function forgetSchedules(boss: PgBoss, queues: SweepQueues): Promise<void> {
  for (const { name, key } of await boss.getSchedules()) if (!(name in queues)) await boss.unschedule(name, key);
}

/** A number that no other advisory lock of the database uses. */
const LOCK = 7_382_614_906;

/** One implicit transaction, and one at a time: two concurrent grants on the same table fail. */
function grants(role: string): string {
  const service = pg.escapeIdentifier(role);
  return `
    select pg_advisory_xact_lock(${LOCK});
    grant usage on schema pgboss to ${service};
    grant select, insert, update, delete on all tables in schema pgboss to ${service};
    grant usage on all sequences in schema pgboss to ${service};
    grant execute on all functions in schema pgboss to ${service};
  `;
}
