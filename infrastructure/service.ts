import { createHttpServer, type RequestListener } from '../adapters/http/kit/server.ts';
import type { ReadinessChecks } from '../adapters/http/kit/unmatched.ts';
import { startJobRunner } from '../adapters/jobs/runner.ts';
import { resumeSweeps } from '../application/grading/evaluate-due.ts';
import type { NamePorts } from '../application/market/names.ts';
import type { Ports } from '../application/ports.ts';
import { databaseFolders, watchDisk } from './background/disk-watch.ts';
import { followLog, followSymbols, nameLearner } from './background/log-watch.ts';
import { processName, reportProcess, reportSources } from './background/process-reports.ts';
import { reportMinutes } from './background/service-minutes.ts';
import { openStorage } from './compose/open-storage.ts';
import { composeService } from './compose.ts';
import type { Config } from './config/config.ts';
import type { Logger } from './logging/logger.ts';
import type { OpenLog } from './logging/open-log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { openTracing } from './tracing/open-tracing.ts';
import { VERSION } from './version.ts';

/** The parts of this process, on a prepared database. */
export interface Service {
  /** The URL of the service; null for a process that only runs jobs. */
  readonly url: string | null;
  readonly metrics: Metrics;
  readonly readiness: ReadinessChecks;
  /**
   * Reports not ready, accepts no new connections, then ends requests in flight, jobs and the pool: at most 25 s
   * (settled.md section 13).
   */
  stop(): Promise<void>;
}

export interface ServiceParts {
  readonly databaseUrl: string;
  readonly api: boolean;
  readonly jobs: boolean;
  /** Whether no other process runs jobs on this database. */
  readonly alone: boolean;
  /** null where log lines go to standard output alone. */
  readonly forwarding?: OpenLog['forwarding'];
}

const REQUESTS_END = 12_000;
const SWEEPS_END = 8;

/**
 * Starts the parts of the service that this process is for, and stops them in the opposite order; compose.ts connects
 * them. When a part does not start, the parts before it are stopped.
 */
export async function startService(parts: ServiceParts, config: Config, log: Logger): Promise<Service> {
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) {
      await close().catch((error: unknown) =>
        log.error('A part did not stop in order; the other parts are stopped', { error }),
      );
    }
  };
  try {
    const storage = await openStorage(parts.databaseUrl, config, log);
    closers.push(() => storage.close());
    const tracing = await openTracing(config.tracing, log);
    closers.push(tracing.stop);
    const folders = databaseFolders(config.dataDir, parts.databaseUrl);
    const least = config.database.keptFree;
    const disk = await watchDisk({ folders, least, hasRoom: storage.hasDiskRoom }, log);
    closers.push(async () => disk.stop());
    const isRunning = () => closers.length > 0;
    const service = await composeService(
      { storage, tracing, isRunning, disk, forwarding: parts.forwarding ?? null },
      config,
      log,
    );
    const { ports, metrics, readiness, sweeps } = service;
    closers.push(() => ports.wakeUps.close());
    closers.push(() => ports.workflowYaml.close());
    closers.push(() => ports.backupMaker.stop());
    closers.push(followSymbols(ports.symbols, log));
    const authorities = parts.jobs ? service.evidenceLog.authorities : () => [];
    closers.push(reportSources(ports, service.sourceHealth, config, log, authorities));
    const describe = () => ({
      process: processName(),
      release: VERSION,
      answers_requests: parts.api,
      runs_jobs: parts.jobs,
      connections: storage.poolUse(),
      disk: disk.report(),
      signing: parts.jobs ? service.evidenceLog.signing() : null,
      faulty_records: ports.recordFaults.found(),
    });
    closers.push(await reportProcess(ports, describe, service.jobNotes, ports.recordFaults, log));
    closers.push(reportMinutes(ports, service.durations, disk.report, log));
    if (parts.jobs) await learnBeforeTheFirst(ports, log);
    const resume = () => resumeSweeps(ports, parts.alone);
    // Side by side. What has started is stopped, whatever became of the other.
    const [jobs, api] = await Promise.allSettled([
      parts.jobs ? startJobRunner({ url: parts.databaseUrl, sweeps, log, before: resume }) : null,
      parts.api ? listen(service.app, config) : null,
    ]);
    const runner = jobs.status === 'fulfilled' ? jobs.value : null;
    const server = api.status === 'fulfilled' ? api.value : null;
    if (runner) closers.push(() => runner.stop(SWEEPS_END));
    if (runner && ports.logWriter) closers.push(followLog(service.evidenceLog, ports.logWriter.interval));
    if (server) closers.push(server.close);
    for (const each of [jobs, api]) if (each.status === 'rejected') throw each.reason;
    const url = server?.url ?? null;
    // Before the server waits for requests in flight.
    closers.push(async () => service.streams.close());
    return { url, metrics, readiness, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The first decision is read by the names that this release ships. Where there are others already, the job learns them, since
 * all of those names are read again then: a node listens meanwhile.
 */
export async function learnBeforeTheFirst(
  ports: NamePorts & Pick<Ports, 'evaluations' | 'processes' | 'clock'>,
  log: Pick<Logger, 'warn' | 'error'>,
): Promise<void> {
  try {
    if ((await ports.evaluations.firstSubmitted()) === null) await nameLearner(ports, log)();
  } catch (error) {
    log.error('The statements of the release about names were not learned; the job learn-names tries again', { error });
  }
}

async function listen(
  app: () => RequestListener,
  { server: { host, port, publicUrl }, limits }: Config,
): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const server = createHttpServer(app(), undefined, limits.addressPerMinute);
  const address = await server.listen(port, host);
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: publicUrl ?? `http://${name}:${address.port}`, close: () => server.close(REQUESTS_END) };
}
