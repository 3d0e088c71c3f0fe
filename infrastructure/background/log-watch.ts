import { setTimeout as sleep } from 'node:timers/promises';
import { type CurrentSymbols, symbolSource } from '../../adapters/market/symbols/current-symbols.ts';
import { LogChanged } from '../../application/log/append-batch.ts';
import type { TimestampRound } from '../../application/log/ask-timestamps.ts';
import type { WitnessRound } from '../../application/log/ask-witnesses.ts';
import { keepLog, type LogProgress, noteLog } from '../../application/log/keep-log.ts';
import { learnShippedNames, type NamePorts, processesWithoutNames } from '../../application/market/names.ts';
import { refreshSymbols } from '../../application/market/refresh-symbols.ts';
import type { Ports } from '../../application/ports.ts';
import { LOG, SYMBOLS } from '../../domain/limits.ts';
import { UnusableNote } from '../../domain/log/notes/last-seen.ts';
import { authorityName, type LogTimestamps, SERVES_TIMESTAMPS } from '../../domain/log/timestamps/timestamp.ts';
import type { SourceReport } from '../../domain/market/source-health.ts';
import type { SigningState } from '../../domain/service-processes.ts';
import { MINUTE, type Millis, SECOND } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logging/logger.ts';

/** Often, so that a worker misses few trees of the others when the database fails over; it costs some reads of single rows. */
const MOST_EVERY = 5 * SECOND;

/**
 * The evidence log as /readyz shows it: `degraded` while it is not signed, or receipts are later than promised; `unwitnessed`
 * while its newest checkpoint has no quorum of witnesses.
 */
export type LogState = true | 'off' | 'unguarded' | 'unwitnessed' | 'degraded';

const DEGRADED: LogState = 'degraded';

export interface LogWatch {
  /** Runs the sequencer once, or waits for the run that is under way; returns when to run it next. */
  keep(): Promise<Date | undefined>;
  /** Compares and notes what other workers signed, and makes up for a run of this process that failed; never rejects. */
  note(): Promise<void>;
  state(): Promise<LogState>;
  /** What this process does; null where it does not write the log. */
  signing(): SigningState | null;
  /** `degraded` while one of them did not cosign the newest checkpoint; null where this process asks none. */
  witnesses(): true | 'degraded' | null;
  /** `degraded` while one of them gave no timestamp when it was asked last; null where this process asks none. */
  timestamps(): true | 'degraded' | null;
  /** What became of the requests of this process to each authority; none where it asks none. */
  authorities(): readonly SourceReport[];
}

/** Runs the sequencer, and reports to operators once when it stops to sign, when a witness is missing, and when they are back. */
export function watchLog(
  ports: Pick<Ports, 'transaction' | 'canonicalJson' | 'clock' | 'log' | 'signatures' | 'logWriter'>,
  log: Pick<Logger, 'error' | 'warn' | 'info'>,
): LogWatch {
  const { logWriter } = ports;
  const reportMissing = missingReports(log, WITNESS_WORDS);
  const reportUnstamped = missingReports(log, AUTHORITY_WORDS);
  // The last error of each kind of run: one run does not say that the other succeeds.
  const stops = new Map<'keep' | 'note', Error>();
  let isGuarded = true;
  let running: ReturnType<LogWatch['keep']> | null = null;
  let round: WitnessRound | null = null;
  let stamps: TimestampRound | null = null;
  let stampedAt: Date | null = null;
  let authorities = unasked(logWriter?.timestamps ?? null);

  function resolve(run: 'keep' | 'note'): void {
    if (stops.delete(run) && stops.size === 0) log.info('The evidence log is signed again');
  }

  /** Null after a LogChanged, which the next run meets again. */
  async function attempt<T extends Pick<LogProgress, 'guard'> | null>(
    run: 'keep' | 'note',
    work: () => Promise<T>,
  ): Promise<T | null> {
    try {
      const done = await work();
      resolve(run);
      isGuarded &&= done?.guard !== 'unguarded';
      return done;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      // The messages of other errors may quote data of callers.
      const isNamed = error instanceof LogChanged || error instanceof UnusableNote;
      const reason = isNamed ? { reason: error.message } : {};
      if (![...stops.values()].some(({ message }) => message === error.message))
        log.error('The evidence log is not signed; the next run tries again', { error, ...reason });
      stops.set(run, error);
      if (error instanceof LogChanged) return null;
      throw thrown;
    }
  }

  // The job reports and retries every other error than LogChanged.
  function keep(): Promise<Date | undefined> {
    running ??= keepOnce().finally(() => {
      running = null;
    });
    return running;
  }

  async function keepOnce(): Promise<Date | undefined> {
    if (logWriter === null) return undefined;
    const done = await attempt('keep', () => keepLog({ ...ports, ...logWriter }, { ...logWriter, stampedAt }));
    if (done === null) return undefined;
    if (done.stamped) {
      [stamps, stampedAt] = [done.stamped, await ports.clock.now()];
      authorities = authorities.map((each) => askedAgain(each, stamps?.missing.get(each.source) ?? null, stampedAt));
    }
    reportUnstamped(stamps);
    round = done.witnessed;
    reportMissing(round);
    return done.next;
  }

  async function note(): Promise<void> {
    if (logWriter === null) return;
    await attempt('note', () => noteLog({ ...ports, ...logWriter })).catch(() => null);
    // Others may take all turns from now on, and their success says nothing of a fault of this process.
    if (!stops.has('note') && stops.has('keep')) await keep().catch(() => null);
  }

  function signing(): SigningState | null {
    if (logWriter === null) return null;
    if (stops.size > 0) return 'stopped';
    return isGuarded ? 'guarded' : 'unguarded';
  }

  async function stored(): Promise<LogState> {
    const own = signing();
    const newest = await ports.log.newest();
    if (newest === null) return own === null ? 'off' : true;
    const now = await ports.clock.now();
    const { waiting_since } = await ports.log.overview(newest.log, now);
    if (waiting_since && now.getTime() - waiting_since.getTime() > LOG.includedWithin) return 'degraded';
    if (round?.met === false) return 'unwitnessed';
    return own === 'unguarded' ? 'unguarded' : true;
  }

  // Tables of the log may be locked: the parts of the service that do not need them are ready.
  async function state(): Promise<LogState> {
    if (signing() === 'stopped') return 'degraded';
    return Promise.race([stored().catch(() => DEGRADED), sleep(SECOND, DEGRADED, { ref: false })]);
  }

  function witnesses(): true | 'degraded' | null {
    if (!logWriter?.witnesses) return null;
    return stops.size === 0 && (round?.missing.size ?? 0) === 0 ? true : 'degraded';
  }

  function timestamps(): true | 'degraded' | null {
    if (!logWriter?.timestamps) return null;
    return (stamps?.missing.size ?? 0) === 0 ? true : 'degraded';
  }

  return { keep, note, state, signing, witnesses, timestamps, authorities: () => authorities };
}

function unasked(timestamps: Pick<LogTimestamps, 'urls'> | null): readonly SourceReport[] {
  const never = { failures: 0, last_error: null, last_error_at: null, last_success_at: null } as const;
  return (timestamps?.urls ?? []).map((url) => {
    return { source: authorityName(url), serves: SERVES_TIMESTAMPS, state: 'never asked', ...never };
  });
}

/** @param missing why it gave no timestamp; null where it gave one */
function askedAgain(before: SourceReport, missing: string | null, at: Date | null): SourceReport {
  if (missing === null) return { ...before, state: 'healthy', failures: 0, last_success_at: at };
  return { ...before, state: 'failing', failures: before.failures + 1, last_error: missing, last_error_at: at };
}

interface MissingWords {
  readonly member: 'witness' | 'authority';
  readonly missing: string;
  readonly back: string;
}

const WITNESS_WORDS: MissingWords = {
  member: 'witness',
  missing: 'A witness did not cosign the newest checkpoint; it is asked again at the next run',
  back: 'A witness cosigns again',
};

const AUTHORITY_WORDS: MissingWords = {
  member: 'authority',
  missing: 'A time-stamp authority did not stamp the newest checkpoint; it is asked again later',
  back: 'A time-stamp authority stamps again',
};

/** Logs each reason once, until the witness or the authority answers again. */
function missingReports(log: Pick<Logger, 'warn' | 'info'>, words: MissingWords) {
  const reported = new Map<string, string>();
  return (round: Pick<WitnessRound, 'missing'> | null): void => {
    const missing = round?.missing ?? new Map<string, string>();
    for (const [name, reason] of missing) {
      if (reported.get(name) !== reason) log.warn(words.missing, { [words.member]: name, reason });
      reported.set(name, reason);
    }
    for (const name of reported.keys()) {
      if (missing.has(name)) continue;
      reported.delete(name);
      log.info(words.back, { [words.member]: name });
    }
  };
}

/** Has this process note the newest tree of the evidence log at least once in each interval; returns the stop. */
export function followLog({ note }: Pick<LogWatch, 'note'>, interval: Millis): () => Promise<void> {
  let noting: Promise<void> | null = null;
  const round = () => {
    noting ??= note().finally(() => {
      noting = null;
    });
  };
  const timer = setInterval(round, Math.min(interval, MOST_EVERY));
  timer.unref();
  return async () => {
    clearInterval(timer);
    await noting;
  };
}

/**
 * Learns the statements about names that this release ships; what it cannot learn is named once. While a process of release
 * 0.5.0 runs, it returns when to try again.
 */
export function nameLearner(
  ports: NamePorts & Pick<Ports, 'processes' | 'clock'>,
  log: Pick<Logger, 'warn'>,
): () => Promise<Date | undefined> {
  const named = new Set<string>();
  return async () => {
    if ((await processesWithoutNames(ports)).length > 0) return new Date(Date.now() + MINUTE);
    const { refused } = await learnShippedNames(ports);
    for (const { statement, faults } of refused) {
      const { market, name, key, from } = statement;
      const reason = `${market} ${name} is ${key} from ${from}: ${faults.join('; ')}`;
      if (named.has(reason)) continue;
      named.add(reason);
      log.warn('A statement of the release about a name cannot be learned', { reason });
    }
    return undefined;
  };
}

/** Runs the daily job of the symbol directory; it does nothing without the network. */
export function symbolRefresher(
  ports: Ports & { readonly symbols: CurrentSymbols },
  { marketData }: Config,
  log: Logger,
): () => Promise<void> {
  if (!marketData.network) return async () => undefined;
  const source = symbolSource(marketData.symbolsUrl, SYMBOLS.deadline);
  return async () => {
    // It may learn that a ticker is another security now.
    if ((await processesWithoutNames(ports)).length > 0) return;
    const done = await refreshSymbols(ports, source);
    if (done.kind === 'stored') {
      await ports.symbols.reload();
      log.info('The symbol directory was brought up to date', { count: done.symbols });
      if (done.reused.length > 0) log.info('Tickers came back as new securities', { names: done.reused.join(' ') });
      if (done.doubted.length > 0) {
        const names = done.doubted.join(' ');
        log.warn('Tickers came back and are read as before; state those that are new securities', { names });
      }
    }
    if ('reason' in done) log.warn(`The symbol directory stays as it was. ${done.reason}`, { state: done.kind });
  };
}

/** Keeps this process's directory up to date with the database and the bar store; returns the stop. */
export function followSymbols(symbols: CurrentSymbols, log: Logger): () => Promise<void> {
  let reloading = Promise.resolve();
  const timer = setInterval(() => {
    reloading = reloading
      .then(() => symbols.reload())
      .catch((error: unknown) =>
        log.warn('Could not read the symbol directory; the next read is on schedule', { error }),
      );
  }, SYMBOLS.reload);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await reloading;
  };
}
