import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import { JOBS } from '../../domain/jobs.ts';
import { SECOND } from '../../domain/time.ts';

export interface JobCounters {
  /** The same sweeps; their runs are counted. */
  countedSweeps(sweeps: Sweeps): Sweeps;
}

/** Counts the job runs of this process. The label is not `job`: Prometheus uses that name for what it scrapes. */
export function jobCounters(registry: Registry): JobCounters {
  const registers = [registry];
  const runs = new Counter({
    name: 'stancebook_job_runs_total',
    help: 'Runs of jobs that ended, by queue, as in logs, and result.',
    labelNames: ['queue', 'result'],
    registers,
  });
  const durations = new Histogram({
    name: 'stancebook_job_duration_seconds',
    help: 'Duration of the runs of jobs.',
    labelNames: ['queue'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900],
    registers,
  });
  const newest = new Gauge({
    name: 'stancebook_job_last_success_timestamp_seconds',
    help: 'Unix time at which a run of the job last succeeded in this process.',
    labelNames: ['queue'],
    registers,
  });
  const counted =
    (job: string, sweep: Sweep): Sweep =>
    async () => {
      const begin = performance.now();
      const end = (result: 'done' | 'failed') => {
        runs.inc({ queue: job, result });
        durations.observe({ queue: job }, (performance.now() - begin) / SECOND);
      };
      try {
        const sweeping = await sweep();
        end('done');
        newest.set({ queue: job }, Date.now() / SECOND);
        return sweeping;
      } catch (error) {
        end('failed');
        throw error;
      }
    };
  return {
    countedSweeps(sweeps) {
      const all = { ...sweeps };
      for (const job of JOBS) all[job] = counted(job, sweeps[job]);
      return all;
    },
  };
}
