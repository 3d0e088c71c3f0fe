import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import type { Ports } from '../../application/ports.ts';
import {
  type ClaimedDecision,
  type EvaluationEnd,
  type EvaluationStore,
  moveOf,
} from '../../domain/decisions/evaluation-store.ts';
import { JOBS } from '../../domain/jobs.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';

/** From seconds to days. */
const WAITS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

export interface EvaluationCounters {
  /** The same store; the ends of evaluations are counted. */
  countedEvaluations(evaluations: EvaluationStore): EvaluationStore;
}

/** Counts how the evaluations of this process ended and how late its grades came. */
export function evaluationCounters(registry: Registry): EvaluationCounters {
  const ends = new Counter({
    name: 'stancebook_evaluations_total',
    help: 'Evaluations that ended, by result and, without a grade, by reason.',
    labelNames: ['result', 'reason'],
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'stancebook_evaluation_wait_seconds',
    help: 'From the time at which a record could first be graded (received, and its prices settled) to its grade.',
    buckets: WAITS,
    registers: [registry],
  });
  const held = dueTimes();
  return {
    countedEvaluations: (evaluations) => ({
      ...evaluations,
      async claimDue(...parameters) {
        const claimed = await evaluations.claimDue(...parameters);
        for (const each of claimed) held.add(each);
        return claimed;
      },
      async endEvaluations(all, now) {
        const ended = new Set(await evaluations.endEvaluations(all, now));
        for (const end of all) {
          const due = held.take(end);
          if (!ended.has(end.record_id)) continue;
          ends.inc(labelsOf(end));
          if (end.result.kind === 'evaluated' && due) waits.observe((now.getTime() - due.getTime()) / SECOND);
        }
        return [...ended];
      },
    }),
  };
}

function labelsOf(end: EvaluationEnd): { readonly result: string; readonly reason: string } {
  const { result } = end;
  if (result.kind === 'evaluated') return { result: 'evaluated', reason: '' };
  return { result: moveOf(end) === 'give_up' ? 'data_unavailable' : result.kind, reason: result.reason };
}

/** The due times of claimed records. The oldest are dropped, because another process may have taken them over. */
function dueTimes() {
  const times = new Map<string, Date>();
  return {
    add({ token, decision: { settles_at, submission_time } }: ClaimedDecision): void {
      times.set(token, settles_at > submission_time ? settles_at : submission_time);
      const [oldest] = times.keys();
      if (times.size > MOST && oldest !== undefined) times.delete(oldest);
    },
    take({ token }: EvaluationEnd): Date | undefined {
      const due = times.get(token);
      times.delete(token);
      return due;
    },
  };
}

const MOST = 10 * EVALUATION.batch;

export interface VerificationCounter {
  /** The same announcement; the rejected records are counted. */
  countedUnverified(announce: Ports['announceUnverified']): Ports['announceUnverified'];
}

/** Counts the records that this process rejected because no source could verify their instrument in time. */
export function verificationCounter(registry: Registry): VerificationCounter {
  const rejected = new Counter({
    name: 'stancebook_unverified_records_total',
    help: 'Records that were rejected because no source could verify their instrument in time.',
    registers: [registry],
  });
  return {
    countedUnverified: (announce) => (instrument, records) => {
      rejected.inc(records);
      announce(instrument, records);
    },
  };
}

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
