import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Express } from 'express';
import type { DiskGate } from '../../adapters/http/kit/exchange.ts';
import { bcryptPasswords } from '../../adapters/identity/passwords.ts';
import type { Timing } from '../../adapters/market/source-client.ts';
import { pruneExpired } from '../../application/decisions/prune-expired.ts';
import type { EventStreams } from '../../application/events/event-stream.ts';
import { eventStreams, type StreamOptions } from '../../application/events/event-streams.ts';
import type { Ports } from '../../application/ports.ts';
import { composeApp } from '../../infrastructure/compose/compose-app.ts';
import { composePorts } from '../../infrastructure/compose/compose-ports.ts';
import { composeSweeps } from '../../infrastructure/compose/compose-sweeps.ts';
import { openMarketData } from '../../infrastructure/compose/market-sources.ts';
import { observedPorts } from '../../infrastructure/compose.ts';
import { type Config, readConfig } from '../../infrastructure/config/config.ts';
import { createLogger, type Logger } from '../../infrastructure/logging/logger.ts';
import { NO_TRACING } from '../../infrastructure/tracing/tracing.ts';
import { type Arrange, type OpenedDecisions, onMemory, onPostgres } from '../contracts/decisions/adapters.ts';
import type { OperatorStorage } from '../contracts/operator-storage.ts';
import { comparedReplies } from './compared-replies.ts';
import { madeBackups } from './made-backups.ts';
import { packagedBars } from './packaged-bars.ts';

export type StorageName = 'memory' | 'postgres';

/** The storage that the whole service is tested on: the one of production, or the model, by `npm run model`. */
export const STORAGES: readonly StorageName[] = process.env.TEST_STORAGE === 'memory' ? ['memory'] : ['postgres'];

export interface ServiceOptions {
  /** The initial time of the clock. */
  readonly at: Date;
  /** Environment variables, as an operator would set them. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * `contract`: rate windows and daily pools are those of the contract. By default they are so large that no test reaches
   * them. Limits on submissions are always those of the contract.
   */
  readonly limits?: 'contract';
  /** How market data sources wait; default: the timing of the system. */
  readonly timing?: Timing;
  /** The storage, which is closed with the service; by default a new one of the named kind. */
  readonly opened?: OpenedDecisions;
  /** Of the streams of events; by default those of the service. */
  readonly streams?: StreamOptions;
  /** Whether the disk of the database has room; default: it has. */
  readonly disk?: DiskGate;
  /** Replaces ports, to plant faults. */
  readonly ports?: (ports: Ports) => Partial<Ports>;
}

/** The service as it is composed for production, without a socket, a job runner and slow password hashes. */
export interface TestService {
  readonly app: Express;
  readonly ports: Ports;
  /** As commands of operators open it. */
  readonly operators: OperatorStorage;
  readonly arrange: Arrange;
  /** The log lines, at level `debug`. */
  readonly log: readonly string[];
  readonly streams: EventStreams;
  /**
   * Runs the sweeps until nothing is due at the time of the clock, except for what has expired: `prune` removes that,
   * with half as many statements as all of the other sweeps.
   */
  settle(): Promise<void>;
  prune(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Requests that come at once still race, and wait for a connection too. Each further one takes as long as twenty small
 * statements, and plans all of its own anew; the suites of the ports have ten.
 */
const CONNECTIONS = 4;

export async function openService(name: StorageName, options: ServiceOptions): Promise<TestService> {
  const opened = options.opened ?? (await (name === 'memory' ? onMemory() : onPostgres(CONNECTIONS)));
  const dataDir = await mkdtemp(join(tmpdir(), 'stancebook-service-'));
  const close = async () => {
    try {
      await opened.close();
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  };
  try {
    return await composeService(opened, dataDir, options, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function composeService(
  { storage, operators, arrange }: OpenedDecisions,
  dataDir: string,
  options: ServiceOptions,
  close: () => Promise<void>,
): Promise<TestService> {
  await arrange.freeze(options.at);
  const offline = {
    LOG_LAST_SEEN: join(dataDir, 'last-seen.json'),
    MARKET_DATA_BARS_DIR: await packagedBars(),
    MARKET_DATA_NETWORK: 'false',
    CIRCUIT_MONITOR: 'false',
  };
  const limits = options.limits === 'contract' ? {} : OUT_OF_THE_WAY;
  const config = readConfig({ DATA_DIR: dataDir, ...offline, ...limits, ...options.env });
  const { log, lines } = keptLog();
  const composed = await composePorts(
    storage,
    config,
    log,
    openMarketData(config.marketData, log, options.timing, storage.barCache),
  );
  const ports = {
    ...composed,
    passwords: bcryptPasswords({ ...config.secrets, cost: 4, isBreached: composed.passwords.isBreached }),
    backupMaker: madeBackups(),
  };
  const compared = { ...ports, replies: comparedReplies(ports) };
  const planted = { ...compared, ...options.ports?.(compared) };
  const streams = eventStreams(planted, {
    onEnded: (ended) => log.http('stream ended', ended),
    ...options.streams,
  });
  return {
    app: appOver(planted, config, log, { streams, ...(options.disk && { disk: options.disk }) }),
    ports: planted,
    streams,
    operators,
    arrange: heardOf(arrange, planted),
    log: lines,
    settle: () => settle(planted),
    prune: () => pruneExpired(planted),
    async close() {
      streams.close();
      await composed.workflowYaml.close();
      await close();
    },
  };
}

/** The HTTP application over ports, with the metrics of production and without tracing. */
export function appOver(
  plain: Ports,
  config: Config,
  log: Logger,
  { streams = eventStreams(plain), disk }: { readonly streams?: EventStreams; readonly disk?: DiskGate } = {},
): Express {
  const { ports, metrics } = observedPorts(plain, NO_TRACING, { streams: streams.figures });
  const readiness = async () => ({ service: true });
  return composeApp(ports, config, log, {
    readiness,
    metrics,
    observers: [metrics.served],
    streams,
    ...(disk && { disk }),
  });
}

/** Rate windows and daily pools that no test reaches. */
export const OUT_OF_THE_WAY: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'RATE_PER_SECOND',
    'RATE_PER_MINUTE',
    'ADDRESS_PER_MINUTE',
    'SIGNUPS_PER_MINUTE',
    'PUBLIC_COHORTS_PER_MINUTE',
    'CREDENTIALED_PER_MINUTE',
    'ACCOUNTS_PER_ADDRESS',
    'ACCOUNTS_PER_DAY',
    'QUERY_PER_DAY',
    'READ_PER_DAY',
    'CHECK_PER_DECISION',
    'PUBLICATIONS_PER_DAY',
  ].map((name) => [`LIMIT_${name}`, '1000000']),
);

/** A process learns the time when it queries the database; here it queries the time after each move of the clock. */
function heardOf(arrange: Arrange, { clock }: Ports): Arrange {
  const heard = async (moved: Promise<void>) => {
    await moved;
    await clock.now();
  };
  return {
    ...arrange,
    freeze: (at) => heard(arrange.freeze(at)),
    advance: (millis) => heard(arrange.advance(millis)),
  };
}

function keptLog() {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  return { lines, log: createLogger({ level: 'debug', format: 'json', stream }) };
}

async function settle(ports: Ports): Promise<void> {
  const { 'prune-expired': _, ...sweeps } = composeSweeps(ports);
  for (let busy = true; busy; ) {
    for (const sweep of Object.values(sweeps)) await sweep();
    const now = await ports.clock.now();
    const waiting = await ports.verification.awaitingVerification(now, 1);
    busy = waiting.length > 0 || (await ports.evaluations.backlog(now)).due > 0;
  }
}
