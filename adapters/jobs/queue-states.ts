import { JOBS, type JobQueues, type QueueState } from '../../domain/jobs.ts';
import type { JobSql } from './job-sql.ts';

/** The requests that pg-boss has of each job. Their times are of the server's clock, which pg-boss uses too. */
export function queueStates(sql: JobSql): JobQueues {
  return {
    async states() {
      const rows = (await sql.rows(STATES, [[...JOBS]])) as readonly QueueState[];
      return JOBS.map((job) => rows.find((row) => row.job === job) ?? { job, ...IDLE });
    },
  };
}

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
