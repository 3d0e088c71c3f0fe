import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { PoolUse } from '../../adapters/postgres/kit/pool-use.ts';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica-use.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import { type AtlasPorts, atlasGauge } from './atlas-gauge.ts';
import { type BacklogPorts, backlogGauges } from './backlog-gauges.ts';
import { circuitGauges } from './circuit-gauges.ts';
import { type EvaluationCounters, evaluationCounters } from './evaluation-counters.ts';
import { type JobCounters, jobCounters } from './job-counters.ts';
import { marketFigures } from './market-figures.ts';
import { type MarketTally, marketTally } from './market-tally.ts';
import { processFigures } from './process-figures.ts';
import { replicaLag, replicaReads } from './replica-figures.ts';
import { type RequestCounters, requestCounters } from './request-counters.ts';

export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The text of a scrape, in the Prometheus text format. */
export interface MetricsText {
  text(): Promise<string>;
  readonly contentType: string;
}

/** What this process counts, and what it looks up in the database when it is scraped. */
export interface Metrics extends MetricsText, RequestCounters, EvaluationCounters, JobCounters {
  /** The figures of this process alone. */
  own(): Promise<Figures>;
  /** The figures of the database, which every process of the service has in common. */
  shared(): Promise<Figures>;
}

export interface MetricsOptions {
  readonly sources?: () => readonly SourceHealth[];
  readonly market?: Pick<MarketTally, 'answers' | 'bars'>;
  /** null where there is no pool. */
  readonly pool?: (() => PoolUse) | null;
  /** null where there is none. */
  readonly replica?: ReplicaUse | null;
}

/**
 * Route patterns, statuses, error codes, verdicts, jobs and sources are the only labels: their number is bounded whatever
 * callers send.
 */
export function createMetrics(
  ports: BacklogPorts & AtlasPorts,
  { sources = () => [], market = marketTally(), pool = null, replica = null }: MetricsOptions = {},
): Metrics {
  const own = new Registry();
  const shared = new Registry();
  processFigures(own, pool);
  marketFigures(own, sources, market);
  if (replica) replicaReads(own, replica);
  const lookUps = [
    backlogGauges(shared, ports),
    circuitGauges(shared, ports),
    atlasGauge(shared, ports),
    ...(replica ? [replicaLag(shared, replica)] : []),
  ];
  const lookUp = () => Promise.all(lookUps.map((each) => each()));
  return {
    ...requestCounters(own),
    ...evaluationCounters(own),
    ...jobCounters(own),
    own: () => own.getMetricsAsJSON(),
    async shared() {
      await lookUp();
      return shared.getMetricsAsJSON();
    },
    async text() {
      await lookUp();
      return Registry.merge([own, shared]).metrics();
    },
    contentType: own.contentType,
  };
}
