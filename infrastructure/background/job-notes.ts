import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import { JOBS, type Job } from '../../domain/jobs.ts';
import { type JobRuns, joinedRuns, type RunningJob } from '../../domain/service-processes.ts';
import { rfc3339 } from '../../domain/time.ts';
import { errorCode } from '../error-code.ts';

/** The runs of jobs in this process. */
export interface JobNotes {
  /** The same sweeps; their runs are noted. */
  notedSweeps(sweeps: Sweeps): Sweeps;
  running(): readonly RunningJob[];
  /** The runs since the last call. */
  take(): readonly JobRuns[];
  /** Puts runs back that could not be written. */
  putBack(runs: readonly JobRuns[]): void;
}

export function jobNotes(now: () => Date = () => new Date()): JobNotes {
  const running = new Map<symbol, RunningJob>();
  const noted = new Map<Job, JobRuns>();
  const add = (run: JobRuns) => {
    const before = noted.get(run.job);
    noted.set(run.job, before ? joinedRuns(before, run) : run);
  };
  const watched =
    (job: Job, sweep: Sweep): Sweep =>
    async () => {
      const run = Symbol(job);
      const began = now();
      running.set(run, { job, since: rfc3339(began) });
      const result = { ...NOTHING, job, last_started_at: began };
      try {
        const sweeping = await sweep();
        add({ ...result, last_succeeded_at: now() });
        return sweeping;
      } catch (error) {
        add({ ...result, last_failed_at: now(), last_error: nameOf(error), failures: 1 });
        throw error;
      } finally {
        running.delete(run);
      }
    };
  return {
    notedSweeps(sweeps) {
      const all = { ...sweeps };
      for (const job of JOBS) all[job] = watched(job, sweeps[job]);
      return all;
    },
    running: () => [...running.values()],
    take() {
      const taken = [...noted.values()];
      noted.clear();
      return taken;
    },
    putBack(runs) {
      for (const run of runs) {
        const later = noted.get(run.job);
        noted.set(run.job, later ? joinedRuns(run, later) : run);
      }
    },
  };
}

const NOTHING = { last_succeeded_at: null, last_failed_at: null, last_error: null, failures: 0 };

/** Without its message, which may quote data of callers. */
function nameOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(nameOf))].join(', ');
  return errorCode(error) ?? (error instanceof Error ? error.name : 'Error');
}
