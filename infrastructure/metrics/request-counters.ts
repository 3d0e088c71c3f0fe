import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import type { ReplyUse } from '../../adapters/postgres/decisions/stored-replies.ts';
import type { StreamFigures } from '../../application/events/event-stream.ts';
import type { Ports } from '../../application/ports.ts';
import {
  type ClaimedDecision,
  type EvaluationEnd,
  type EvaluationStore,
  moveOf,
} from '../../domain/decisions/evaluation-store.ts';
import type { DecisionIntake } from '../../domain/decisions/submission/decision-intake.ts';
import { JOBS } from '../../domain/jobs.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';
import type { RecordFaults } from '../background/key-uses.ts';

export interface ServiceCounters extends RequestCounters, EvaluationCounters, VerificationCounter, JobCounters {}

/** Of what this process does: requests, evaluations, verifications, jobs. */
export function serviceCounters(registry: Registry): ServiceCounters {
  return {
    ...requestCounters(registry),
    ...evaluationCounters(registry),
    ...verificationCounter(registry),
    ...jobCounters(registry),
  };
}

/** From seconds to days. */
const WAITS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

const MOST = 10 * EVALUATION.batch;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface RequestCounters {
  /** Counts an answered request. */
  served(request: Served): void;
  /** The same intake; its verdicts are counted. */
  countedIntake(intake: DecisionIntake): DecisionIntake;
}

/** Counts requests, refusals and submissions. */
function requestCounters(registry: Registry): RequestCounters {
  const registers = [registry];
  const requests = new Counter({
    name: 'stancebook_http_requests_total',
    help: 'Answered requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'stancebook_http_request_duration_seconds',
    help: 'Time from the head of a request to its reply, by method, route pattern and class of status.',
    labelNames: ['method', 'route', 'status_class'],
    buckets: SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: 'stancebook_refusals_total',
    help: 'Requests that were refused, by method, route pattern and error code: limits, credentials, faults of input.',
    labelNames: ['method', 'route', 'code'],
    registers,
  });
  const submissions = new Counter({
    name: 'stancebook_submissions_total',
    help: 'Submissions that reached the store, by its verdict; a decision group is one.',
    labelNames: ['verdict'],
    registers,
  });
  const writes = new Histogram({
    name: 'stancebook_submission_duration_seconds',
    help: 'Time from the judged values of a submission to its verdict, durable if it is accepted, by that verdict.',
    labelNames: ['verdict'],
    buckets: SECONDS,
    registers,
  });
  return {
    served({ method, route, status, duration_ms, code }) {
      const labels = { method, route: route ?? 'unmatched' };
      requests.inc({ ...labels, status });
      durations.observe({ ...labels, status_class: `${Math.floor(status / 100)}xx` }, duration_ms / SECOND);
      if (code !== undefined) refusals.inc({ ...labels, code });
    },
    countedIntake: (intake) => ({
      ...intake,
      async submit(...sent) {
        const begin = performance.now();
        const countVerdict = (verdict: string) => {
          submissions.inc({ verdict });
          writes.observe({ verdict }, (performance.now() - begin) / SECOND);
        };
        try {
          const result = await intake.submit(...sent);
          countVerdict(result.verdict);
          return result;
        } catch (error) {
          countVerdict('failed');
          throw error;
        }
      },
    }),
  };
}

/** What this process did with replies that may be stored, copied at each scrape. */
export function replyCounters(registry: Registry, { counts }: Pick<ReplyUse, 'counts'>): void {
  new Counter({
    name: 'stancebook_stored_replies_total',
    help: 'Replies about evaluated decisions: found, or missed and then stored or not stored.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(counts())) this.inc({ result }, count);
    },
  });
}

/** Read at each scrape. */
export function replyBytes(registry: Registry, { bytes }: Pick<ReplyUse, 'bytes'>) {
  const help = 'Bytes on disk of the table of stored replies, with the space that is free in it.';
  const gauge = new Gauge({ name: 'stancebook_stored_reply_bytes', help, registers: [registry] });
  return async () => gauge.set(await bytes());
}

/** Records whose views lack parts, copied at each scrape. */
export function recordFaultCounter(registry: Registry, counts: RecordFaults['counts']): void {
  new Counter({
    name: 'stancebook_faulty_records_total',
    help: 'Records that this process could not read in full, each counted once by each part that it lacks.',
    labelNames: ['part'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [part, count] of Object.entries(counts())) this.inc({ part }, count);
    },
  });
}

/** The streams of events of this process, copied at each scrape. */
export function streamFigures(registry: Registry, figures: () => StreamFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'stancebook_event_streams',
    help: 'Streams of events that are open.',
    registers,
    collect() {
      this.set(figures().open);
    },
  });
  new Counter({
    name: 'stancebook_event_streams_ended_total',
    help: 'Streams of events that have ended, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(figures().ended)) this.inc({ reason }, count);
    },
  });
  new Counter({
    name: 'stancebook_event_streams_refused_total',
    help: 'Streams of events that were not opened because as many were open as one process serves.',
    registers,
    collect() {
      this.reset();
      this.inc(figures().refused);
    },
  });
}

interface EvaluationCounters {
  /** The same store; the ends of evaluations are counted. */
  countedEvaluations(evaluations: EvaluationStore): EvaluationStore;
}

/** Counts how the evaluations of this process ended and how late its grades came. */
function evaluationCounters(registry: Registry): EvaluationCounters {
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
      async endEvaluations(all, now, names) {
        const ended = new Set(await evaluations.endEvaluations(all, now, names));
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

interface VerificationCounter {
  /** The same announcement; the rejected records are counted. */
  countedUnverified(announce: Ports['announceUnverified']): Ports['announceUnverified'];
}

/** Counts the records that this process rejected because no source could verify their instrument in time. */
function verificationCounter(registry: Registry): VerificationCounter {
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

interface JobCounters {
  /** The same sweeps; their runs are counted. */
  countedSweeps(sweeps: Sweeps): Sweeps;
}

/** Counts the job runs of this process. The label is not `job`: Prometheus uses that name for what it scrapes. */
function jobCounters(registry: Registry): JobCounters {
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
