import type { RequestListener } from '../adapters/http/kit/server.ts';
import type { ReadinessChecks } from '../adapters/http/kit/unmatched.ts';
import type { Sweeps } from '../adapters/jobs/sweep.ts';
import type { ReplyUse } from '../adapters/postgres/decisions/stored-replies.ts';
import type { PoolUse } from '../adapters/postgres/kit/pool.ts';
import type { ReplicaUse } from '../adapters/postgres/kit/replica.ts';
import type { EventStreams } from '../application/events/event-stream.ts';
import { knownNames } from '../application/market/names.ts';
import type { Ports, Storage } from '../application/ports.ts';
import type { SecurityEvent } from '../domain/accounts/security-event.ts';
import type { SourceHealth } from '../domain/market/source-health.ts';
import type { DiskWatch } from './background/disk-watch.ts';
import { type LogWatch, nameLearner, symbolRefresher, watchLog } from './background/log-watch.ts';
import { type JobNotes, jobNotes } from './background/process-reports.ts';
import { type DurationTally, durationTally } from './background/service-minutes.ts';
import { composeApp, composeStreams } from './compose/compose-app.ts';
import { type ComposedPorts, composePorts } from './compose/compose-ports.ts';
import { composeSweeps } from './compose/compose-sweeps.ts';
import { assertLogPolicy, composeLogPolicy } from './compose/log-writer.ts';
import { openMarketData } from './compose/market-sources.ts';
import type { Config } from './config/config.ts';
import type { Logger } from './logging/logger.ts';
import type { OpenLog } from './logging/open-log.ts';
import { metricsToServe } from './metrics/cluster-metrics.ts';
import { marketTally } from './metrics/market-figures.ts';
import { createMetrics, type Metrics, type MetricsOptions } from './metrics/metrics.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What is open before a service is composed, and closed after it has stopped. */
export interface OpenParts {
  readonly storage: Storage & {
    poolUse?(): PoolUse;
    readonly replica?: ReplicaUse | null;
    readonly replyUse?: ReplyUse;
  };
  /** NO_TRACING where no collector is configured. */
  readonly tracing: Tracing;
  /** null where the disk of the database is not watched. */
  readonly disk?: DiskWatch | null;
  /** null where log lines go to standard output alone. */
  readonly forwarding?: OpenLog['forwarding'];
  /** false as soon as the service begins to stop. */
  isRunning(): boolean;
}

export interface ComposedService {
  readonly ports: ComposedPorts;
  readonly metrics: Metrics;
  readonly readiness: ReadinessChecks;
  /** What each job does, for the job runner. */
  readonly sweeps: Sweeps;
  /** The runs of these sweeps. */
  readonly jobNotes: JobNotes;
  readonly durations: DurationTally;
  readonly evidenceLog: LogWatch;
  /** The streams of events that are open. */
  readonly streams: EventStreams;
  sourceHealth(): readonly SourceHealth[];
  /** Makes the HTTP application, for the server. */
  app(): RequestListener;
}

/** Connects all parts of a service: the ports, what observes them, the sweeps over them and the HTTP application. */
export async function composeService(
  { storage, tracing, isRunning, disk = null, forwarding = null }: OpenParts,
  config: Config,
  log: Logger,
): Promise<ComposedService> {
  const market = marketTally();
  const sources = openMarketData(config.marketData, log, undefined, market.countedCache(storage.barCache), () =>
    knownNames(storage.names),
  );
  const marketData = market.counted(sources.marketData);
  const barFiles = market.counted(sources.barFiles);
  const plain = await composePorts(storage, config, log, { ...sources, marketData, barFiles });
  const { poolUse: pool = null, replica = null, replyUse = null } = storage;
  await assertLogPolicy(plain);
  const signing = () => evidenceLog.signing();
  const logPolicy = composeLogPolicy(config);
  const { ports, metrics } = observedPorts(plain, tracing, {
    sources: sources.health,
    market,
    pool,
    replica,
    replyUse,
    signing,
    logPolicy,
    dataSnapshots: config.dataSnapshots,
    streams: () => streams.figures(),
    recordFaults: plain.recordFaults.counts,
    disk,
    forwarding,
    securityEvent: securityEventLine(log),
  });
  metrics.observeProcess();
  const streams = composeStreams(ports, log);
  const evidenceLog = watchLog(ports, log);
  const readiness = readinessOf(ports, sources.health, isRunning, { evidenceLog, disk });
  const refresher = symbolRefresher(ports, config, log);
  const every = composeSweeps(ports, refresher, evidenceLog.keep, nameLearner(ports, log));
  const sweeps = disk ? disk.sparing(every) : every;
  const notes = jobNotes();
  const durations = durationTally();
  const observers = [metrics.served, tracing.served, durations.served];
  return {
    ports,
    metrics,
    readiness,
    sweeps: tracing.sweeps(metrics.countedSweeps(notes.notedSweeps(sweeps))),
    jobNotes: notes,
    durations,
    evidenceLog,
    streams,
    sourceHealth: sources.health,
    app: () =>
      tracing.handler(
        composeApp(ports, config, log, { readiness, metrics: metricsToServe(metrics), observers, streams, disk }),
      ),
  };
}

/**
 * The ports as the use cases call them. A submission passes these layers, from the caller to the database:
 *
 * | Layer | Does | Added by |
 * |---|---|---|
 * | metrics | counts verdicts and their time | `countedIntake`, here |
 * | tracing | a span for each call of a port | `tracing.ports`, here |
 * | transaction scope | refuses a store outside of the transaction under way | adapters/postgres/storage.ts |
 * | batcher | gathers submissions that arrive together | adapters/postgres/decisions/decision-intake.ts |
 * | SQL | `app.submit_batch`: one statement and one commit for the batch | the same file |
 *
 * Other ports pass the same tracing, scope and, where they have one, batcher. `admission` also notes the use of API
 * keys, inside its span (`notingKeyUses`); `marketData` and `barCache` are counted inside theirs (`marketTally`), `securityEvents` and
 * those of a transaction outside (`countedSecurityEvents`), and so are `webhookSender` (`countedSender`) and `mailSender` (`countedMails`).
 */
export function observedPorts<P extends Ports>(
  plain: P,
  tracing: Tracing,
  options: MetricsOptions = {},
): { readonly ports: P; readonly metrics: Metrics } {
  const traced = tracing.ports(plain);
  const metrics = createMetrics(traced, options);
  const intake = metrics.countedIntake(traced.intake);
  const evaluations = metrics.countedEvaluations(traced.evaluations);
  const announceUnverified = metrics.countedUnverified(traced.announceUnverified);
  const events = metrics.countedSecurityEvents(traced);
  const webhookSender = metrics.countedSender(traced.webhookSender);
  const mailSender = metrics.countedMails(traced.mailSender);
  const counted = { ...events, intake, evaluations, announceUnverified, webhookSender, mailSender };
  return { ports: { ...traced, ...counted }, metrics };
}

/** So that security events leave the machine with the log; whom and what they name in words, the database has alone. */
function securityEventLine(log: Logger) {
  return ({ kind, result, owner_id, request_id, network, client }: SecurityEvent) =>
    log.info('Security event', { kind, result, owner_id, request_id, network, client });
}

function readinessOf(
  { clock }: Ports,
  sourceHealth: () => readonly SourceHealth[],
  isRunning: () => boolean,
  { evidenceLog, disk }: { readonly evidenceLog: LogWatch; readonly disk: DiskWatch | null },
): ReadinessChecks {
  return async () => ({
    service: isRunning(),
    database: (await clock.now()) instanceof Date,
    ...(disk && { disk: disk.report().state === 'ok' }),
    market_data: sourceHealth().some(({ state }) => state === 'paused') ? ('degraded' as const) : true,
    evidence_log: await evidenceLog.state(),
    ...askedChecks(evidenceLog),
  });
}

/** Only where witnesses, or time-stamp authorities, are asked. */
function askedChecks(evidenceLog: LogWatch) {
  const [witnesses, timestamps] = [evidenceLog.witnesses(), evidenceLog.timestamps()];
  return { ...(witnesses !== null && { witnesses }), ...(timestamps !== null && { timestamps }) };
}
