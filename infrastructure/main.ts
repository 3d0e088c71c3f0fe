import cluster from 'node:cluster';
import { importPackagedData } from '../adapters/market/packaged-data.ts';
import { type Config, readConfig } from './config.ts';
import { type RunningDatabase, startDatabase } from './database.ts';
import { createLogger, type Logger } from './logger.ts';
import { type Service, startService } from './service.ts';
import { welcome } from './welcome.ts';
import { startWorkers } from './workers.ts';

await main();

/** One process of the service: everything, or one of the API processes of a primary that set this one up. */
async function main(): Promise<void> {
  const config = configOrExit();
  const log = createLogger(config.log);
  try {
    const running = cluster.isWorker ? await startApi(config, log) : await startAll(config, log);
    onSignal(log, running.stop);
    void running.lost.then(() => end(log, running.stop, 'The database has ended', 1));
  } catch (error) {
    log.error('The service could not start', { error });
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

interface Running {
  stop(): Promise<void>;
  /** Resolves when the service cannot go on. */
  readonly lost: Promise<unknown>;
}

async function startAll(config: Config, log: Logger): Promise<Running> {
  const database = await startDatabase(config, log);
  try {
    if (config.database.url === null) await importPackagedData(config.marketData.barsDir);
    const service = await startParts(config, log, database);
    if (service.url !== null) console.error(welcome(service.url, config));
    return {
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

async function startParts(config: Config, log: Logger, { url }: RunningDatabase): Promise<Service> {
  const { role, workers } = config.server;
  const shared = workers > 1 && role !== 'worker';
  const alone = config.database.url === null;
  const own = { databaseUrl: url, api: role !== 'worker' && !shared, jobs: role !== 'api', alone };
  const service = await startService(own, config, log);
  return shared ? startWorkers(service, url, config, log) : service;
}

async function startApi(config: Config, log: Logger): Promise<Running> {
  const databaseUrl = config.database.url;
  if (databaseUrl === null) throw new Error('A process of the cluster needs DATABASE_URL');
  const service = await startService({ databaseUrl, api: true, jobs: false, alone: false }, config, log);
  process.send?.({ url: service.url });
  return { stop: service.stop, lost: new Promise((resolve) => process.once('disconnect', resolve)) };
}

function configOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

const PATIENCE = 25_000;

function onSignal(log: Logger, stop: () => Promise<void>): void {
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A worker hears of one Ctrl-C twice: from the terminal and from its primary.
      if (asked && cluster.isWorker) return;
      // The second time means now; no database outlives us.
      if (asked) process.exit(1);
      asked = true;
      log.info('Stopping', { signal });
      void end(log, stop, 'Stopped', 0);
    });
  }
}

async function end(log: Logger, stop: () => Promise<void>, message: string, code: number): Promise<void> {
  setTimeout(() => process.exit(1), PATIENCE).unref();
  await stop();
  log.info(message);
  process.exit(code);
}
