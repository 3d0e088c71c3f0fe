import type { Readiness } from '../adapters/http/kit/health-pages.ts';
import { createHttpServer } from '../adapters/http/kit/server.ts';
import { startJobRunner } from '../adapters/jobs/runner.ts';
import { resumeSweeps } from '../application/grading/resume-sweeps.ts';
import type { Ports, Storage } from '../application/ports.ts';
import { composeApp, composePorts, composeSweeps } from './compose.ts';
import type { Config } from './config/config.ts';
import { openStorage } from './database/database.ts';
import type { Logger } from './logging/logger.ts';
import { type MarketSources, openMarketData } from './market-data.ts';
import { toldBy } from './metrics/cluster-metrics.ts';
import { type MarketTally, marketTally } from './metrics/market-tally.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { tellSources } from './source-reports.ts';
import { followSymbols, symbolRefresher } from './symbols.ts';
import { openTracing } from './tracing/open-tracing.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What runs in this process, on a database that is prepared. */
export interface Service {
  /** Where it answers; null for a process that only runs jobs. */
  readonly url: string | null;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /**
   * Not ready, then no new connections, then the end of what is in flight, of the jobs and of the pool: at most 25 s
   * (settled.md section 13).
   */
  stop(): Promise<void>;
}

export interface ServiceParts {
  readonly databaseUrl: string;
  readonly api: boolean;
  readonly jobs: boolean;
  /** No other process runs jobs on this database. */
  readonly alone: boolean;
}

const REQUESTS_END = 12_000;
const SWEEPS_END = 8;

/** Starts the parts of the service that this process is for; what has been started is stopped when a later part fails. */
export async function startService(parts: ServiceParts, config: Config, log: Logger): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: unknown) => log.error('A part did not stop in order', { error }));
    }
  };
  try {
    const storage = await openStorage(parts.databaseUrl, config, log);
    closers.push(() => storage.close());
    const market = countedSources(config, log, storage);
    const tracing = await openTracing(config.tracing, log);
    if (tracing) closers.push(tracing.stop);
    const composed = await composePorts(storage, config, log, market);
    const ports = tracing ? tracing.ports(composed) : composed;
    closers.push(() => ports.wakeUps.close());
    closers.push(() => ports.workflowYaml.close());
    const { poolUse: pool, replica } = storage;
    const metrics = createMetrics(ports, { sources: market.health, market: market.tally, pool, replica });
    closers.push(followSymbols(ports.symbols, log));
    closers.push(tellSources(ports, market.health, config, log));
    if (parts.jobs) {
      await resumeSweeps(ports, parts.alone);
      const working = { ...ports, evaluations: metrics.countedEvaluations(ports.evaluations) };
      const sweeps = metrics.countedSweeps(composeSweeps(working, symbolRefresher(ports, config, log)));
      const runner = await startJobRunner({ url: parts.databaseUrl, sweeps: tracing?.sweeps(sweeps) ?? sweeps, log });
      closers.push(() => runner.stop(SWEEPS_END));
    }
    const readiness = readinessOf(ports, market, closers);
    const url = parts.api ? await listen(ports, { metrics, tracing }, readiness, config, log, closers) : null;
    return { url, metrics, readiness, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface CountedSources extends MarketSources {
  readonly tally: MarketTally;
}

function countedSources(config: Config, log: Logger, { barCache }: Storage): CountedSources {
  const tally = marketTally();
  const market = openMarketData(config.marketData, log, undefined, tally.countedCache(barCache));
  return { ...market, marketData: tally.counted(market.marketData), tally };
}

function bothServed(metrics: Metrics, tracing: Tracing): Metrics {
  const served: Metrics['served'] = (request) => {
    metrics.served(request);
    tracing.served(request);
  };
  return { ...metrics, served };
}

/** Not ready any more as soon as the parts begin to be stopped. */
function readinessOf({ clock }: Ports, market: CountedSources, closers: readonly unknown[]): Readiness {
  return async () => ({
    service: closers.length > 0,
    database: (await clock.now()) instanceof Date,
    market_data: market.health().some(({ state }) => state === 'open') ? ('degraded' as const) : true,
  });
}

async function listen(
  ports: Ports,
  { metrics, tracing }: { readonly metrics: Metrics; readonly tracing: Tracing | null },
  readiness: Readiness,
  config: Config,
  log: Logger,
  closers: (() => Promise<unknown>)[],
): Promise<string> {
  const { host, port, publicUrl } = config.server;
  const seen = tracing ? bothServed(metrics, tracing) : metrics;
  const app = composeApp(ports, config, log, readiness, seen, toldBy(metrics));
  const server = createHttpServer(tracing?.handler(app) ?? app, undefined, config.limits.addressPerMinute);
  const address = await server.listen(port, host);
  closers.push(() => server.close(REQUESTS_END));
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return publicUrl ?? `http://${name}:${address.port}`;
}
