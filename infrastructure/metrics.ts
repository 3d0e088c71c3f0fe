import cluster from 'node:cluster';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Served } from '../adapters/http/exchange.ts';
import type { SourceHealth } from '../adapters/market/breaker.ts';
import type { Ports } from '../application/ports.ts';
import type { DecisionIntake } from '../domain/decisions/decision-intake.ts';
import { SECOND } from '../domain/time.ts';
import { circuitGauges } from './circuit-gauges.ts';
import { type Figure, type MarketTally, marketTally } from './market-tally.ts';

/** What this process counts, and what it looks up when it is scraped. */
export interface Metrics {
  served(request: Served): void;
  /** The same intake, its verdicts counted. */
  counted(intake: DecisionIntake): DecisionIntake;
  /** In the Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Route patterns, statuses, verdicts and sources are the only labels: their number is bounded whatever callers send. */
export function createMetrics(
  { decisions, circuits, clock }: Pick<Ports, 'decisions' | 'circuits' | 'clock'>,
  sources: () => readonly SourceHealth[] = () => [],
  market: Pick<MarketTally, 'answers' | 'bars'> = marketTally(),
): Metrics {
  const registry = new Registry();
  // Of several API processes any may answer a scrape: without its name their counters would seem to jump back and forth.
  if (cluster.worker) registry.setDefaultLabels({ worker: cluster.worker.id });
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'stancebook_http_requests_total',
    help: 'Answered requests by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'stancebook_http_request_duration_seconds',
    help: 'Time from the head of a request to its answer.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const submissions = new Counter({
    name: 'stancebook_submissions_total',
    help: 'Submissions that reached the store, by its verdict.',
    labelNames: ['verdict'],
    registers: [registry],
  });
  const lookUpBacklog = backlogGauges(registry, { decisions, clock });
  const lookUpCircuits = circuitGauges(registry, { circuits, clock });
  const lookUpSources = sourceGauge(registry, sources);
  marketCounters(registry, market);
  return {
    served({ method, route, status, duration_ms }) {
      const shown = route ?? 'unmatched';
      requests.inc({ method, route: shown, status });
      durations.observe({ method, route: shown }, duration_ms / SECOND);
    },
    counted: (intake) => ({
      ...intake,
      async submit(draft) {
        const taken = await intake.submit(draft);
        submissions.inc({ verdict: taken.verdict });
        return taken;
      },
    }),
    async text() {
      await lookUpBacklog();
      await lookUpCircuits();
      lookUpSources();
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** NaN when the database cannot tell, so that a scrape still tells the rest. */
function backlogGauges(registry: Registry, { decisions, clock }: Pick<Ports, 'decisions' | 'clock'>) {
  const due = new Gauge({
    name: 'stancebook_evaluations_due',
    help: 'Records that are due to be evaluated and that no process has taken.',
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'stancebook_evaluation_lag_seconds',
    help: 'How long the one of them that waits longest has been due.',
    registers: [registry],
  });
  return async () => {
    const now = await clock.now().catch(() => null);
    const backlog = now && (await decisions.backlog(now).catch(() => null));
    due.set(backlog ? backlog.due : Number.NaN);
    lag.set(now && backlog ? (now.getTime() - (backlog.since ?? now).getTime()) / SECOND : Number.NaN);
  };
}

/** Counted elsewhere, copied when it is scraped. */
function marketCounters(registry: Registry, { answers, bars }: Pick<MarketTally, 'answers' | 'bars'>): void {
  const copied = (name: string, help: string, labelNames: string[], figures: () => readonly Figure[]) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, count } of figures()) this.inc(labels, count);
      },
    });
  const answered = 'Answers of market data by call, source (none: nobody answered) and result.';
  copied('stancebook_market_answers_total', answered, ['call', 'source', 'result'], answers);
  const told = 'Bars that were fetched from the network, and bars that were told from the cache instead.';
  copied('stancebook_market_bars_total', told, ['source', 'size', 'origin'], bars);
}

function sourceGauge(registry: Registry, sources: () => readonly SourceHealth[]): () => void {
  const failures = new Gauge({
    name: 'stancebook_market_source_failures',
    help: 'Failed requests to a market data source since the last one that it answered.',
    labelNames: ['source', 'state'],
    registers: [registry],
  });
  return () => {
    failures.reset();
    for (const { source, state, failures: count } of sources()) failures.set({ source, state }, count);
  };
}
