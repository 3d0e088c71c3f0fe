import { hostname } from 'node:os';
import type { Sweep, Sweeps } from '../../adapters/jobs/sweep.ts';
import { PEG_EXCHANGES } from '../../adapters/market/pegs/peg-sources.ts';
import { type StockSource, venuesServedBy } from '../../adapters/market/stocks/stock-sources.ts';
import type { Ports } from '../../application/ports.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import { JOBS, type Job } from '../../domain/jobs.ts';
import { RECORD_FAULTS, SOURCE_REPORTS } from '../../domain/limits.ts';
import type { SourceHealth, SourceReport } from '../../domain/market/source-health.ts';
import { usVenues } from '../../domain/market/venues.ts';
import {
  type FaultyRecord,
  type JobRuns,
  joinedRuns,
  type ProcessState,
  type RunningJob,
} from '../../domain/service-processes.ts';
import { rfc3339 } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';
import { errorCode } from '../error-code.ts';
import type { Logger } from '../logging/logger.ts';
import type { RecordFaults } from './key-uses.ts';

const PEGS = COINS.flatMap((coin) => PEG_EXCHANGES[coin].map((name) => [`peg-${name}`, coin] as const));

const NOTHING = { last_succeeded_at: null, last_failed_at: null, last_error: null, failures: 0 };

/** What a process says of itself: its parts, and what changes. */
export type DescribedProcess = Omit<ProcessState, 'started_at' | 'running'>;

/**
 * Writes what this process is and does, how its jobs went and which records it found faulty to the database, for the status
 * that operators read; returns the stop, which removes the report.
 */
export async function reportProcess(
  { processes, clock }: Pick<Ports, 'processes' | 'clock'>,
  describe: () => DescribedProcess,
  notes: Pick<JobNotes, 'running' | 'take' | 'putBack'>,
  faults: Pick<RecordFaults, 'take'>,
  log: Pick<Logger, 'warn'>,
): Promise<() => Promise<void>> {
  const started_at = await clock.now();
  let found: readonly FaultyRecord[] = [];
  const writing = async (write: (runs: ReturnType<JobNotes['take']>) => Promise<void>) => {
    const runs = notes.take();
    found = [...found, ...faults.take()].slice(-RECORD_FAULTS.remembered);
    const noting = async () => {
      await processes.noteFaulty(joined(found), await clock.now());
      found = [];
    };
    await noting().catch((error: unknown) => {
      log.warn('Could not write which records cannot be read in full; the next report is in 15 s', { error });
    });
    await write(runs).catch((error: unknown) => {
      notes.putBack(runs);
      log.warn('Could not write the report of this process; the next one is in 15 s', { error });
    });
  };
  const report = () =>
    writing(async (runs) =>
      processes.report({ ...describe(), started_at, running: notes.running() }, runs, await clock.now()),
    );
  let last = report();
  const timer = setInterval(() => {
    last = last.then(report);
  }, SOURCE_REPORTS.every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
    await writing((runs) => processes.end(describe().process, runs));
  };
}

/** Each record once. */
function joined(found: readonly FaultyRecord[]): readonly FaultyRecord[] {
  const parts = Map.groupBy(found, ({ record_id }) => record_id);
  return [...parts].map(([record_id, each]) => ({ record_id, parts: each.flatMap((one) => one.parts) }));
}

/** How this process names itself in its reports. */
export function processName(): string {
  return `${hostname()}:${process.pid}`;
}

/** The runs of jobs in this process. */
export interface JobNotes {
  /** The same sweeps; their runs are noted. */
  notedSweeps(sweeps: Sweeps): Sweeps;
  running(): readonly RunningJob[];
  /** The runs since the last call. */
  take(): readonly JobRuns[];
  /** Puts runs back that could not be written. */
  putBack(runs: readonly JobRuns[]): void;
}

export function jobNotes(now: () => Date = () => new Date()): JobNotes {
  const running = new Map<symbol, RunningJob>();
  const noted = new Map<Job, JobRuns>();
  const add = (run: JobRuns) => {
    const before = noted.get(run.job);
    noted.set(run.job, before ? joinedRuns(before, run) : run);
  };
  const watched =
    (job: Job, sweep: Sweep): Sweep =>
    async () => {
      const run = Symbol(job);
      const began = now();
      running.set(run, { job, since: rfc3339(began) });
      const result = { ...NOTHING, job, last_started_at: began };
      try {
        const sweeping = await sweep();
        add({ ...result, last_succeeded_at: now() });
        return sweeping;
      } catch (error) {
        add({ ...result, last_failed_at: now(), last_error: nameOf(error), failures: 1 });
        throw error;
      } finally {
        running.delete(run);
      }
    };
  return {
    notedSweeps(sweeps) {
      const all = { ...sweeps };
      for (const job of JOBS) all[job] = watched(job, sweeps[job]);
      return all;
    },
    running: () => [...running.values()],
    take() {
      const taken = [...noted.values()];
      noted.clear();
      return taken;
    },
    putBack(runs) {
      for (const run of runs) {
        const later = noted.get(run.job);
        noted.set(run.job, later ? joinedRuns(run, later) : run);
      }
    },
  };
}

/** Without its message, which may quote data of callers. */
function nameOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(nameOf))].join(', ');
  return errorCode(error) ?? (error instanceof Error ? error.name : 'Error');
}

/** What each configured source serves, in words, by the name of the source. */
export function servedBy(config: Config['marketData']): ReadonlyMap<string, string> {
  const { network, crypto, ccxtVenues, stocks, pegs } = config;
  if (!network) return new Map();
  const pairs = [
    ...Object.entries(crypto).flatMap(([venue, names]) => names.map((name) => [name, venue] as const)),
    ...ccxtVenues.map((venue) => [`ccxt-${venue.toLowerCase()}`, venue] as const),
    ...stocks.map((name) => [name, servedStocks(name)] as const),
    ...(pegs === null ? [] : PEGS),
  ].filter(([name]) => name !== 'files');
  const bySource = Map.groupBy(pairs, ([name]) => name);
  return new Map([...bySource].map(([name, all]) => [name, all.map(([, served]) => served).join(', ')]));
}

function servedStocks(name: StockSource | 'files'): string {
  const us = name === 'files' ? [] : venuesServedBy(name).filter((venue) => usVenues().includes(venue));
  if (us.length === 0) return 'stocks of other venues';
  return us.length === venuesServedBy(name as StockSource).length ? 'US stocks' : 'stocks';
}

/**
 * Writes the health of this process's sources to the database, for `npm run admin -- sources`; returns the stop.
 * @param authorities the time-stamp authorities that it asks, for `npm run admin -- status`
 */
export function reportSources(
  { sourceHealth, clock }: Pick<Ports, 'sourceHealth' | 'clock'>,
  health: () => readonly SourceHealth[],
  { marketData }: Config,
  log: Logger,
  authorities: () => readonly SourceReport[] = () => [],
): () => Promise<void> {
  const served = servedBy(marketData);
  const name = processName();
  if (health().length + authorities().length === 0) return async () => undefined;
  const write = async (reports: readonly SourceReport[]) => sourceHealth.record(name, reports, await clock.now());
  let writing = Promise.resolve();
  const round = () => {
    writing = writing
      .then(() => write([...health().map((each) => reportOf(each, served)), ...authorities()]))
      .catch((error: unknown) =>
        log.warn('Could not write the health of the market data sources; the next report is in 15 s', { error }),
      );
  };
  round();
  const timer = setInterval(round, SOURCE_REPORTS.every);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await writing;
    await write([]);
  };
}

/** If an exchange has two interfaces, the name of the second begins with that of the first. */
function reportOf(health: SourceHealth, served: ReadonlyMap<string, string>): SourceReport {
  const { source } = health;
  const [, serves] = [...served].find(([name]) => source === name || source.startsWith(`${name}-`)) ?? [];
  return { ...health, serves: serves ?? '' };
}
