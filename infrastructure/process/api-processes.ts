import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../config/config.ts';
import { fileVariable } from '../config/secret-files.ts';
import type { Logger } from '../logging/logger.ts';
import { clusterMetrics } from '../metrics/cluster-metrics.ts';
import type { MetricsText } from '../metrics/metrics.ts';
import type { Service } from '../service.ts';

const PAUSE_BEFORE_REPLACING = 1_000;

export interface ClusterService extends Service {
  /** The figures of all processes. */
  readonly allMetrics: MetricsText;
}

/** Adds the API processes of WORKERS to what this process runs; one that dies is replaced. */
export async function startWorkers(
  own: Service,
  databaseUrl: string,
  config: Config,
  log: Logger,
): Promise<ClusterService> {
  let stopping = false;
  const allMetrics = clusterMetrics(own.metrics);
  const fork = (place: number) => {
    const worker = cluster.fork({
      WORKERS: '1',
      ROLE: 'api',
      DATABASE_URL: databaseUrl,
      ...secretsOf(config),
    });
    allMetrics.follow(worker, place);
    // A connection that is handed to a process which has just died; its exit is reported as well.
    worker.on('error', (error) => log.warn('Could not send a message to an API process', { error }));
    worker.once('exit', (code, signal) => {
      if (stopping) return;
      log.error('An API process died; another one replaces it', { pid: worker.process.pid ?? null, code, signal });
      setTimeout(() => stopping || fork(place), PAUSE_BEFORE_REPLACING);
    });
    return worker;
  };
  const workers = Array.from({ length: config.server.workers }, (_, index) => fork(index + 1));
  const [url] = await Promise.all(workers.map(listening));
  return {
    ...own,
    allMetrics,
    url: url ?? null,
    async stop() {
      stopping = true;
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && ended(worker)));
      await own.stop();
    },
  };
}

/** The secrets of this process, whatever a file has by now. */
function secretsOf({ secrets: { session, formerSessions, pepper, formerPeppers } }: Config): Record<string, string> {
  const values = {
    SESSION_SECRET: session,
    SESSION_SECRET_FORMER: formerSessions.join(),
    PASSWORD_PEPPER: pepper,
    PASSWORD_PEPPER_FORMER: formerPeppers.join(),
  };
  const files = ['DATABASE_URL', ...Object.keys(values)].map((name) => [fileVariable(name), '']);
  return { ...values, ...Object.fromEntries(files) };
}

function listening(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', ({ url }: { readonly url?: string }) => url !== undefined && resolve(url));
    worker.once('exit', () => reject(new Error('An API process did not start; its message is above.')));
  });
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve();
    worker.once('exit', () => resolve());
    worker.process.kill('SIGTERM');
  });
}
