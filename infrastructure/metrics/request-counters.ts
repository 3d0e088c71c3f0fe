import { Counter, Histogram, type Registry } from 'prom-client';
import type { Served } from '../../adapters/http/kit/exchange.ts';
import type { DecisionIntake } from '../../domain/decisions/submission/decision-intake.ts';
import { SECOND } from '../../domain/time.ts';

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
