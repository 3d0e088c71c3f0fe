import { Counter, Gauge, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import type { ReplyUse } from '../../adapters/postgres/decisions/stored-replies.ts';
import type { PoolUse } from '../../adapters/postgres/kit/pool.ts';
import type { ReplicaUse } from '../../adapters/postgres/kit/replica.ts';
import type { StreamFigures } from '../../application/events/event-stream.ts';
import type { Ports, Settings, Stores } from '../../application/ports.ts';
import {
  EVENT_RESULTS,
  SECURITY_EVENT_KINDS,
  type SecurityEvent,
  type SecurityEventStore,
} from '../../domain/accounts/security-event.ts';
import { CIRCUIT_STATES, type Circuit } from '../../domain/circuits/circuit.ts';
import { DISK_STATES } from '../../domain/disk-space.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import type { SigningState } from '../../domain/service-processes.ts';
import { SECOND } from '../../domain/time.ts';
import type { DiskWatch } from '../background/disk-watch.ts';
import type { RecordFaults } from '../background/key-uses.ts';
import { type ForwardingFigures, LOSS_REASONS } from '../logging/logger.ts';
import { type MarketTally, marketFigures, marketTally } from './market-figures.ts';
import {
  type OutgoingCounters,
  outgoingCounters,
  outgoingGauges,
  poolFigures,
  processFigures,
  replicaLag,
  replicaReads,
} from './outgoing-figures.ts';
import {
  recordFaultCounter,
  replyBytes,
  replyCounters,
  type ServiceCounters,
  serviceCounters,
  streamFigures,
} from './request-counters.ts';
import { type StoragePorts, signingGauge, storageGauges } from './storage-gauges.ts';

export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The text of a scrape, in the Prometheus text format. */
export interface MetricsText {
  text(): Promise<string>;
  readonly contentType: string;
}

/** The counters of this process, and the gauges that it reads from the database at each scrape. */
export interface Metrics extends MetricsText, ServiceCounters, SecurityEventCounter, OutgoingCounters {
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
  /** null where the disk of the database is not watched. */
  readonly disk?: Pick<DiskWatch, 'report'> | null;
  /** null where log lines go to standard output alone. */
  readonly forwarding?: (() => ForwardingFigures) | null;
  /** Called with each security event that was stored. */
  readonly securityEvent?: (event: SecurityEvent) => void;
}

type MetricsPorts = StoragePorts & Pick<Ports, 'deliveries' | 'mails'>;

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
    forwarding = null,
    securityEvent = () => undefined,
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
  if (forwarding) forwardingFigures(own, forwarding);
  const { registry: shared, lookUp } = sharedFigures(ports, { replica, replyUse, logPolicy, dataSnapshots });
  return {
    ...serviceCounters(own),
    ...securityEventCounter(own, securityEvent),
    ...outgoingCounters(own),
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
    circuitGauges(registry, ports),
    ...storageGauges(registry, ports, { logPolicy, dataSnapshots }),
    ...outgoingGauges(registry, ports),
    ...(replica ? [replicaLag(registry, replica)] : []),
    ...(replyUse ? [replyBytes(registry, replyUse)] : []),
  ];
  return { registry, lookUp: () => Promise.all(lookUps.map((each) => each())) };
}

/** The disk of the database as this process sees it. Free bytes are only shown where it can see the disk. */
function diskGauges(registry: Registry, { report }: Pick<DiskWatch, 'report'>): void {
  const registers = [registry];
  new Gauge({
    name: 'stancebook_disk_state',
    help: 'Whether the disk of the database has room: 1 for the state that it has, 0 for the others.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of DISK_STATES) this.set({ state }, state === report().state ? 1 : 0);
    },
  });
  if (report().free_bytes === null) return;
  new Gauge({
    name: 'stancebook_disk_free_bytes',
    help: 'Free bytes on the disk of the embedded database.',
    registers,
    collect() {
      this.set(report().free_bytes ?? 0);
    },
  });
}

/** The log lines of this process on their way to another machine, from 0 on, so that the first loss is an increase. */
function forwardingFigures(registry: Registry, figures: () => ForwardingFigures): void {
  const registers = [registry];
  new Counter({
    name: 'stancebook_forwarded_lines_total',
    help: 'Log lines that the receiver took (sent), and those that were lost: full (too many waited), refused, rejected.',
    labelNames: ['result'],
    registers,
    collect() {
      const { sent, lost } = figures();
      this.reset();
      this.inc({ result: 'sent' }, sent);
      for (const result of LOSS_REASONS) this.inc({ result }, lost[result]);
    },
  });
  new Gauge({
    name: 'stancebook_forwarded_lines_waiting',
    help: 'Log lines that wait for the receiver.',
    registers,
    collect() {
      this.set(figures().waiting);
    },
  });
}

/** Read at each scrape; no series when the database does not answer, so that the scrape still shows the rest. */
function circuitGauges(registry: Registry, { circuits, clock }: Pick<Ports, 'circuits' | 'clock'>) {
  const gauge = (name: string, help: string, ...more: string[]) =>
    new Gauge({ name, help, labelNames: ['coin', ...more], registers: [registry] });
  const states = gauge(
    'stancebook_circuit_state',
    '1 for the current state of the circuit of a stablecoin, 0 for the others.',
    'state',
  );
  const drift = gauge('stancebook_peg_drift_bps', 'Distance of the newest observation of a stablecoin from a dollar.');
  const fresh = gauge(
    'stancebook_peg_sources_fresh',
    'Exchanges whose price in the newest observation is still fresh.',
  );
  const age = gauge('stancebook_peg_observation_age_seconds', 'Age of the newest observation of a stablecoin.');
  const set = (circuit: Circuit, now: Date) => {
    const { coin, state, peg } = circuit;
    for (const each of CIRCUIT_STATES) states.set({ coin, state: each }, each === state ? 1 : 0);
    fresh.set(
      { coin },
      peg?.sources.filter(({ at }) => now.getTime() - at.getTime() <= CIRCUIT.sourceFreshness).length ?? 0,
    );
    if (!peg) return;
    drift.set({ coin }, peg.drift_bps);
    age.set({ coin }, (now.getTime() - peg.observed_at.getTime()) / SECOND);
  };
  return async () => {
    for (const each of [states, drift, fresh, age]) each.reset();
    const [now, all] = await Promise.all([clock.now().catch(() => null), circuits.all().catch(() => [])]);
    if (now) for (const circuit of all) set(circuit, now);
  };
}

type Counted = Pick<Ports, 'securityEvents' | 'transaction'>;

interface SecurityEventCounter {
  /** The same ports; the security events that they store are counted, those of a transaction when it is committed. */
  countedSecurityEvents(ports: Counted): Counted;
}

/** Counts the security events of this process by kind and result, from 0 on, so that the first one is an increase. */
function securityEventCounter(registry: Registry, announce: (event: SecurityEvent) => void): SecurityEventCounter {
  const counter = new Counter({
    name: 'stancebook_security_events_total',
    help: 'Security events, by kind and result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  for (const kind of SECURITY_EVENT_KINDS) for (const result of EVENT_RESULTS) counter.inc({ kind, result }, 0);
  const count = (event: SecurityEvent) => {
    counter.inc({ kind: event.kind, result: event.result });
    announce(event);
  };
  return {
    countedSecurityEvents: ({ securityEvents, transaction }) => ({
      securityEvents: noting(securityEvents, count),
      async transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
        let stored: SecurityEvent[] = [];
        const result = await transaction((stores) => {
          stored = [];
          return work({ ...stores, securityEvents: noting(stores.securityEvents, (event) => stored.push(event)) });
        });
        stored.forEach(count);
        return result;
      },
    }),
  };
}

/** The same store; `note` is called with each event after it is stored. */
function noting(securityEvents: SecurityEventStore, note: (event: SecurityEvent) => void): SecurityEventStore {
  return {
    ...securityEvents,
    async append(event, context) {
      await securityEvents.append(event, context);
      note(event);
    },
  };
}
