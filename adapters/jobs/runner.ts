import { PgBoss, type Job as Request } from 'pg-boss';
import { JOBS, type Job, type JobQueue } from '../../domain/jobs.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';
import { assertQueues, type JobLog, jobQueue, logFaults } from './job-queue.ts';
import { answered, failed, type Sweeping, type Sweeps, withinSeconds } from './sweep.ts';

/** Later work is left to the schedule, which runs every minute and then gets the exact time. */
const HORIZON = 2 * MINUTE;
/** The most runs of a sweep in a row without a pause: a sweep without progress must not spin. */

const BURST = 20;

export interface JobRunnerOptions {
  /** The URL of the service's role. The runner has its own connections: sweeps and requests cannot starve it. */
  readonly url: string;
  readonly sweeps: Sweeps;
  readonly log: JobLog;
  readonly pace?: Partial<RunnerPace>;
  /** Has ended before the first sweep begins; its connections are opened meanwhile. */
  readonly before?: () => Promise<void>;
}

/** In seconds. */
export interface RunnerPace {
  /** The time between two polls of a queue: a request waits half of it on average. At least 0.5. */
  readonly poll: number;
  /** The time between two checks of the schedule. At most 45. */
  readonly schedule: number;
  /** The time between two searches for requests whose worker died. */
  readonly supervise: number;
}

export interface JobRunner {
  /** Waits for running sweeps; those that take longer than `seconds` (at least 1) are left to another run. */
  stop(seconds?: number): Promise<void>;
}

type Stage = 'running' | 'stopping' | 'stopped';

const PACE: RunnerPace = { poll: 0.5, schedule: 30, supervise: 30 };

/**
 * Runs the sweeps on request and on schedule, one of a kind at a time in this process; other processes may run the same
 * sweep at that time. It survives lost connections and restarts of the database.
 * @throws when the database cannot be reached at first, `migrateJobs` has not been run on it, or `before` fails.
 */
export async function startJobRunner({ url, sweeps, log, pace, before }: JobRunnerOptions): Promise<JobRunner> {
  const { poll, ...rhythm } = { ...PACE, ...pace };
  const boss = new PgBoss(settings(url, rhythm));
  let stage: Stage = 'running';
  logFaults(boss, log, () => stage !== 'running');
  try {
    await Promise.all([open(boss), before?.()]);
    // What a sweep does after the stop fails without a database; another run has its requests by then.
    const logFailure: JobLog['error'] = (...line) => {
      if (stage !== 'stopped') log.error(...line);
    };
    for (const job of JOBS) await work(boss, job, sweeps, logFailure, poll);
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
  return {
    async stop(seconds = 10) {
      stage = 'stopping';
      await boss.stop({ graceful: true, timeout: seconds * SECOND });
      stage = 'stopped';
    },
  };
}

async function open(boss: PgBoss): Promise<void> {
  await boss.start();
  await assertQueues(boss);
}

function settings(connectionString: string, { schedule, supervise }: Omit<RunnerPace, 'poll'>) {
  return {
    connectionString,
    application_name: 'stancebook-jobs',
    max: 3,
    migrate: false,
    cronMonitorIntervalSeconds: schedule,
    superviseIntervalSeconds: supervise,
    monitorIntervalSeconds: supervise,
    maintenanceIntervalSeconds: 300,
    // Flows (requests that wait for others) are not used.
    flowIntervalSeconds: 3600,
    // Only the owner of the tables can rebuild an index.
    reindex: false,
  };
}

/** The most requests in a batch; one run completes all requests of a batch. */
const BATCH = 1_000;

async function work(boss: PgBoss, job: Job, sweeps: Sweeps, logFailure: JobLog['error'], poll: number): Promise<void> {
  const options = { pollingIntervalSeconds: poll, batchSize: BATCH, burstWhenBatchFull: true } as const;
  const follow = wakeUp(jobQueue(boss), job, () => boss.notifyWorker(worker));
  const worker = await boss.work(job, { ...options, perJobResults: true }, async (requests: Request[]) => {
    try {
      await follow(await withinSeconds(patience(requests), sweeps[job]()));
      return answered(requests);
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      logFailure('A sweep failed; it will be retried', { queue: job, requests: requests.length, error: fault });
      return failed(requests, fault);
    }
  });
}

/** Seconds; a little less than pg-boss's own deadline, which would fail each request without a message. */
function patience(requests: readonly Request[]): number {
  return 0.9 * Math.min(...requests.map(({ expireInSeconds }) => expireInSeconds));
}

/** Requests the next run that the result of a sweep names; `runAgain` polls the queue at once. */
export function wakeUp(queue: JobQueue, job: Job, runAgain: () => void): (answer: Sweeping) => Promise<void> {
  let requested = 0;
  let row = 0;
  return async (answer) => {
    const next = answer?.next?.getTime() ?? Number.POSITIVE_INFINITY;
    const wait = next - Date.now();
    if (wait > 0) row = 0;
    // Sweeps before that time return the same `next`, for which a request already exists.
    if (wait > HORIZON || (wait > 0 && next === requested)) return;
    requested = next;
    await queue.enqueue(job, new Date(next));
    if (wait <= 0 && row++ < BURST) runAgain();
    else row = 0;
  };
}
