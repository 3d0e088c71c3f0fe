import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { type Config, readConfig } from './config/config.ts';
import { type LongWait, type RunningDatabase, startDatabase } from './database/database.ts';
import { findEmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts';
import { errorCode } from './error-code.ts';
import type { Logger } from './logging/logger.ts';
import { type OpenLog, openLog } from './logging/open-log.ts';
import { startMetricsServer } from './metrics/metrics-server.ts';
import { endInOrder, type Running } from './process/end-in-order.ts';
import { evidenceLogLine, portTaken, requireListening, startSteps, welcome } from './process/welcome.ts';
import type { Service } from './service.ts';
import { StartRefused } from './start-refused.ts';

// What this process writes is closed to other users, unless it says otherwise.
process.umask(0o077);
// Threads that help with a collection of young objects wait for a core that PostgreSQL uses, and all requests for them.
setFlagsFromString('--no-parallel-scavenge');

/** Where the service answers; null for a process that answers no requests of its own. */
export const url: string | null = await main();

/** Runs one process of the service: everything, or one of the API processes of a primary. */
async function main(): Promise<string | null> {
  const config = configOrExit();
  const { log, forwarding, close } = await openLog(config.log);
  const started = endInOrder(log);
  try {
    const running = cluster.isWorker
      ? await startApi(config, log, forwarding)
      : await startAll(config, log, forwarding);
    started({ ...running, close });
    return running.url;
  } catch (error) {
    const refusal = refusalText(error);
    if (refusal === null) log.error('The service could not start', { error });
    console.error(refusal ?? (error instanceof Error ? error.message : String(error)));
    await close();
    process.exit(1);
  }
}

type Forwarding = OpenLog['forwarding'];

type Answering = Running & Pick<Service, 'url'>;

async function startAll(config: Config, log: Logger, forwarding: Forwarding): Promise<Answering> {
  if (!runsAlready(config)) await requireListening(config.server);
  const begin = startSteps(config);
  begin('database');
  const database = await startDatabase(config, log, loadDuring);
  try {
    begin('prices');
    if (config.database.url === null) {
      const { importPackagedData } = await import('../adapters/market/files/packaged-data.ts');
      await importPackagedData(config.marketData.barsDir);
    }
    begin('service');
    const service = await startParts(config, log, { url: database.url, forwarding });
    if (service.url === null) log.info(`The evidence log is ${evidenceLogLine(config)}`);
    else console.error(await welcome(service.url, config));
    return {
      url: service.url,
      lost: database.exited,
      async stop() {
        await service.stop();
        await database.stop();
      },
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/**
 * The modules of the service, in two parts: while one is loaded, this process reads no reply of the database. Where they
 * cannot be loaded, `startParts` fails.
 */
function loadDuring(wait: LongWait): Promise<unknown> {
  const loading = wait === 'starting' ? import('./compose/compose-app.ts') : import('./service.ts');
  return loading.catch(() => undefined);
}

/** Another instance holds the data folder, and most likely the port: the refusal of `startDatabase` names it. */
function runsAlready({ database, dataDir }: Config): boolean {
  return database.url === null && findEmbeddedPostgres(dataDir) !== null;
}

async function startParts(
  config: Config,
  log: Logger,
  { url, forwarding }: Pick<RunningDatabase, 'url'> & { readonly forwarding: Forwarding },
): Promise<Service> {
  const { startService } = await import('./service.ts');
  const { role, workers } = config.server;
  const shared = workers > 1 && role !== 'worker';
  const alone = config.database.url === null;
  const own = { databaseUrl: url, api: role !== 'worker' && !shared, jobs: role !== 'api', alone, forwarding };
  const first = await startService(own, config, log);
  const service = shared
    ? await (await import('./process/api-processes.ts')).startWorkers(first, url, config, log)
    : { ...first, allMetrics: first.metrics };
  const metrics = await startMetricsServer(config.server, service.allMetrics, service.readiness);
  if (metrics === null) return service;
  log.info('Metrics are served on a port of their own', { port: Number(new URL(metrics.url).port) });
  const stop = async () => {
    await metrics.stop();
    await service.stop();
  };
  return { ...service, stop };
}

async function startApi(config: Config, log: Logger, forwarding: Forwarding): Promise<Answering> {
  const databaseUrl = config.database.url;
  if (databaseUrl === null) throw new Error('A process of the cluster needs DATABASE_URL');
  const { startService } = await import('./service.ts');
  const parts = { databaseUrl, api: true, jobs: false, alone: false, forwarding };
  const service = await startService(parts, config, log);
  process.send?.({ url: service.url });
  return { url: null, stop: service.stop, lost: new Promise((resolve) => process.once('disconnect', resolve)) };
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

/** One sentence for what the operator can remove; null for a fault, whose stack belongs in the log. */
function refusalText(error: unknown): string | null {
  if (errorCode(error) === 'EADDRINUSE') {
    const { port } = error as { readonly port?: number };
    return portTaken(port);
  }
  return error instanceof StartRefused ? error.message : null;
}
