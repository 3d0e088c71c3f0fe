import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { ReplyUse } from '../../adapters/postgres/decisions/stored-replies.ts';
import type { StreamFigures } from '../../application/events/event-stream.ts';
import type { DecisionIntake } from '../../domain/decisions/submission/decision-intake.ts';
import { SECOND } from '../../domain/time.ts';
import type { RecordFaults } from '../background/key-uses.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export interface RequestCounters {
  /** Counts an answered request. */
  served(request: Served): void;
  /** The same intake; its verdicts are counted. */
  countedIntake(intake: DecisionIntake): DecisionIntake;
}

/** Counts requests, refusals and submissions. */
export function requestCounters(registry: Registry): RequestCounters {
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
    help: 'Submissions that reached the store, by its verdict.',
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
      async submit(draft) {
        const begin = performance.now();
        const countVerdict = (verdict: string) => {
          submissions.inc({ verdict });
          writes.observe({ verdict }, (performance.now() - begin) / SECOND);
        };
        try {
          const result = await intake.submit(draft);
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
