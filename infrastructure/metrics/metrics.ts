import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { ReplyUse } from '../../adapters/postgres/decisions/stored-replies.ts';
import type { PoolUse } from '../../adapters/postgres/kit/pool-use.ts';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica-use.ts';
import type { StreamFigures } from '../../application/events/event-stream.ts';
import type { Ports, Settings } from '../../application/ports.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import type { SigningState } from '../../domain/service-processes.ts';
import type { DiskWatch } from '../background/disk-watch.ts';
import type { RecordFaults } from '../background/record-faults.ts';
import { type AtlasPorts, atlasGauge } from './atlas-gauge.ts';
import { type BacklogPorts, backlogGauges } from './backlog-gauges.ts';
import { circuitGauges } from './circuit-gauges.ts';
import { datasetGauge } from './dataset-gauge.ts';
import { diskGauges } from './disk-gauges.ts';
import { erasureGauges } from './erasure-figures.ts';
import { type EvaluationCounters, evaluationCounters } from './evaluation-counters.ts';
import { expiryGauges } from './expiry-gauges.ts';
import { type JobCounters, jobCounters } from './job-counters.ts';
import { logGauges, signingGauge } from './log-gauges.ts';
import { type MailCounter, mailCounter, mailGauges } from './mail-figures.ts';
import { marketFigures } from './market-figures.ts';
import { type MarketTally, marketTally } from './market-tally.ts';
import { poolFigures, processFigures } from './process-figures.ts';
import { replicaLag, replicaReads } from './replica-figures.ts';
import { recordFaultCounter, replyBytes, replyCounters } from './reply-figures.ts';
import { type RequestCounters, requestCounters } from './request-counters.ts';
import { type SecurityEventCounter, securityEventCounter } from './security-event-counter.ts';
import { streamFigures } from './stream-figures.ts';
import { type VerificationCounter, verificationCounter } from './verification-counter.ts';
import { type WebhookCounter, webhookCounter, webhookGauges } from './webhook-figures.ts';
import { witnessGauge } from './witness-gauge.ts';

export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The text of a scrape, in the Prometheus text format. */
export interface MetricsText {
  text(): Promise<string>;
  readonly contentType: string;
}

/** The counters of this process, and the gauges that it reads from the database at each scrape. */
export interface Metrics
  extends MetricsText,
    RequestCounters,
    EvaluationCounters,
    VerificationCounter,
    SecurityEventCounter,
    WebhookCounter,
    MailCounter,
    JobCounters {
  /** Begins to observe this process, which the first scrape does as well. */
  observeProcess(): void;
  /** The figures of this process alone. */
  own(): Promise<Figures>;
  /** The figures of the database, which every process of the service has in common. */
  shared(): Promise<Figures>;
}

export interface MetricsOptions {
  readonly sources?: () => readonly SourceHealth[];
  readonly market?: Pick<MarketTally, 'answers' | 'bars'>;
  /** null without a pool. */
  readonly pool?: (() => PoolUse) | null;
  /** null without a replica. */
  readonly replica?: ReplicaUse | null;
  /** null where replies are not stored. */
  readonly replyUse?: ReplyUse | null;
  /** null where this process does not write the evidence log. */
  readonly signing?: () => SigningState | null;
  /** null where none is configured. */
  readonly logPolicy?: LogPolicy | null;
  /** null where no public snapshots are made. */
  readonly dataSnapshots?: Settings['dataSnapshots'];
  /** null where none is served. */
  readonly streams?: (() => StreamFigures) | null;
  /** null where faults of records are not noted. */
  readonly recordFaults?: RecordFaults['counts'] | null;
  /** null where nobody watches the disk of the database. */
  readonly disk?: Pick<DiskWatch, 'report'> | null;
}

type MetricsPorts = BacklogPorts &
  AtlasPorts &
  Pick<Ports, 'log' | 'signatures' | 'expiry' | 'deliveries' | 'mails' | 'erasures' | 'datasets'>;

/**
 * Route patterns, statuses, error codes, verdicts, jobs, sources and kinds of events are the only labels: their number is bounded
 * whatever callers send.
 */
export function createMetrics(
  ports: MetricsPorts,
  {
    sources = () => [],
    market = marketTally(),
    pool = null,
    replica = null,
    replyUse = null,
    signing = () => null,
    logPolicy = null,
    dataSnapshots = null,
    streams = null,
    recordFaults = null,
    disk = null,
  }: MetricsOptions = {},
): Metrics {
  const process = processFigures();
  const own = new Registry();
  if (pool) poolFigures(own, pool);
  marketFigures(own, sources, market);
  signingGauge(own, signing);
  if (replica) replicaReads(own, replica);
  if (replyUse) replyCounters(own, replyUse);
  if (streams) streamFigures(own, streams);
  if (recordFaults) recordFaultCounter(own, recordFaults);
  if (disk) diskGauges(own, disk);
  const { registry: shared, lookUp } = sharedFigures(ports, { replica, replyUse, logPolicy, dataSnapshots });
  return {
    ...requestCounters(own),
    ...evaluationCounters(own),
    ...verificationCounter(own),
    ...securityEventCounter(own),
    ...webhookCounter(own),
    ...mailCounter(own),
    ...jobCounters(own),
    observeProcess: process.observe,
    async own() {
      process.observe();
      return Registry.merge([process.registry, own]).getMetricsAsJSON();
    },
    async shared() {
      await lookUp();
      return shared.getMetricsAsJSON();
    },
    async text() {
      process.observe();
      await lookUp();
      return Registry.merge([process.registry, own, shared]).metrics();
    },
    contentType: own.contentType,
  };
}

/** The figures of the database; `lookUp` asks it for them. */
function sharedFigures(
  ports: MetricsPorts,
  {
    replica,
    replyUse,
    logPolicy,
    dataSnapshots,
  }: Required<Pick<MetricsOptions, 'replica' | 'replyUse' | 'logPolicy' | 'dataSnapshots'>>,
) {
  const registry = new Registry();
  const lookUps = [
    backlogGauges(registry, ports),
    circuitGauges(registry, ports),
    atlasGauge(registry, ports),
    logGauges(registry, ports),
    expiryGauges(registry, ports),
    webhookGauges(registry, ports),
    mailGauges(registry, ports),
    erasureGauges(registry, ports),
    ...(dataSnapshots ? [datasetGauge(registry, ports)] : []),
    ...(logPolicy ? [witnessGauge(registry, ports, logPolicy)] : []),
    ...(replica ? [replicaLag(registry, replica)] : []),
    ...(replyUse ? [replyBytes(registry, replyUse)] : []),
  ];
  return { registry, lookUp: () => Promise.all(lookUps.map((each) => each())) };
}
