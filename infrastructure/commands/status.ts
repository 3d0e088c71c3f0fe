import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { instrumentsIn } from '../../adapters/market/files/bar-folder.ts';
import { LogChanged } from '../../application/log/append-batch.ts';
import { refusingWitnesses } from '../../application/log/ask-witnesses.ts';
import { guardLog } from '../../application/log/guard-log.ts';
import { readStatus } from '../../application/operators/read-status.ts';
import type { BackupState, StoredLogStatus } from '../../application/operators/status-figures.ts';
import type { Storage } from '../../application/ports.ts';
import { withOperatorActions } from '../../domain/grading/paths/operator-actions.ts';
import { type UnexplainedLeap, unexplainedLeaps } from '../../domain/grading/unexplained-leaps.ts';
import { STATUS } from '../../domain/limits.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import type { LogOverview, StoredLog } from '../../domain/log/log-store.ts';
import type { Calendar } from '../../domain/market/calendar.ts';
import { calendarOf, type KnownCalendar, knownCalendars } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  type KnownActions,
  type MarketData,
  NO_ACTIONS_KNOWN,
  SourceUnavailable,
} from '../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../domain/time.ts';
import { backupsOf } from '../backup/backup-maker.ts';
import { settingsOf } from '../compose/compose-ports.ts';
import { composeLogWriter } from '../compose/log-writer.ts';
import type { Config } from '../config/config.ts';
import { createLogger } from '../logging/logger.ts';
import { marketLines } from '../served-markets.ts';
import { type CommandContext, command, namedInstrumentIn, UsageError } from './command.ts';
import { type Columns, printable, secondOf, tableOf } from './text.ts';

/** What an operator looks at first, and until when calendars are known; every figure that is not as it should be is a problem and makes the exit code 1. */
export const STATUS_COMMANDS = [
  command({
    name: 'status',
    summary:
      'show backlog, failures, processes, jobs, sources, circuits, mails, backups and evidence log on one page; exit code 1 while one has a problem',
    json:
      'the members of GET /api/v1/admin/status; markets: [text]; leaps that nothing explains: [{ instrument, source, at, from, to, ratio, answer }]; log also has reason, last_seen and noted, and may be stopped; ' +
      'problems: [text]',
    async run(_, context) {
      const status = await readHere(context);
      return { text: statusLines(status), report: status, failed: status.problems.length > 0 };
    },
  }),
  command({
    name: 'calendars',
    summary: 'show until when the sessions of each stock venue are known, and which end within 60 days',
    json: '{ calendars: [{ venues, zone, from, until, days_left, source }], the one that ends first at the top }',
    async run(_, { storage }) {
      const calendars = knownCalendars((await storage.clock.now()).getTime());
      return { text: [tableOf(CALENDAR_COLUMNS, calendars), ...endLines(calendars)], report: { calendars } };
    },
  }),
];

const CALENDAR_COLUMNS: Columns<KnownCalendar> = {
  venues: ({ venues }) => venues.join(' '),
  zone: ({ zone }) => zone,
  from: ({ from }) => from,
  until: ({ until }) => until,
  'days left': ({ days_left }) => String(days_left),
  source: ({ source }) => source,
};

function endLines(calendars: readonly KnownCalendar[]): readonly string[] {
  const ending = calendars.filter(({ days_left }) => days_left <= STATUS.calendarNoticed);
  return ending.map(({ venues, until, days_left }) => {
    const ends = days_left < 0 ? 'ended on' : 'ends on';
    return `The calendar of ${venues.join(', ')} ${ends} ${until}: later every weekday counts as a session.`;
  });
}

type Status = Awaited<ReturnType<typeof readHere>>;

/** What the database knows, as `GET /api/v1/admin/status` shows it, and what this machine knows. */
async function readHere({ storage, config }: CommandContext) {
  const replicaLag = storage.replica ? storage.replica.lag : null;
  const backupMaker = backupsOf(config, createLogger({ level: 'silent', format: 'json' }));
  const { problems, ...status } = await readStatus({
    ...storage,
    replicaLag,
    backupMaker,
    settings: settingsOf(config),
  });
  const log = await logStatus(storage, config, status.log);
  const stopped = log.state === 'stopped' ? [log.reason ?? `The log ${log.origin} is not signed.`] : [];
  // Why it is stopped says more than that a process does not sign it.
  const others = stopped.length === 0 ? problems : problems.filter(({ part }) => part !== 'log');
  return {
    ...status,
    markets: await marketLines(config.marketData),
    leaps: await seriesLeaps(storage, config.marketData.barsDir),
    log,
    problems: [...others.map(({ problem, action }) => `${problem} ${action}`), ...stopped],
  };
}

function statusLines(status: Status): readonly string[] {
  const { backlog, failures, sources, circuits, markets, leaps, mails, backups, log, problems } = status;
  const { rejected, data_unavailable } = failures;
  const oldest = backlog.oldest_due_at === null ? '' : `, the oldest since ${rfc3339(backlog.oldest_due_at)}`;
  const failed = sources.filter(({ state }) => state === 'failing' || state === 'paused').length;
  const reasons = data_unavailable.today_by_reason.map(({ reason, total }) => `${reason} ${total}`).join(', ');
  return [
    `Evaluations due: ${backlog.due}${oldest}`,
    `Rejected: ${rejected.total}, of them submitted today (UTC): ${rejected.today}`,
    `Data unavailable: ${data_unavailable.total}, of them submitted today (UTC): ${data_unavailable.today}` +
      (reasons === '' ? '' : ` (${reasons})`),
    ...processLines(status),
    `Sources that reported in the last minute: ${sources.length}, of them failing or paused: ${failed}`,
    ...markets,
    ...leapLines(leaps),
    `Circuits: ${circuits.map(({ coin, state, stale }) => `${coin} ${state}${stale ? ', no fresh price' : ''}`).join('; ')}`,
    `Mails due: ${mails.due}, to be sent again: ${mails.failed}${mails.failure === null ? '' : ` (${mails.failure})`}`,
    `Backups: ${backupText(backups)}`,
    ...logLines(log),
    ...signerLines(status),
    ...(problems.length === 0 ? ['No problems.'] : ['', ...problems.map((problem) => `Problem: ${problem}`)]),
  ];
}

function processLines({ processes, jobs }: Status): readonly string[] {
  const fresh = processes.filter(({ state }) => state === 'reporting');
  const workers = fresh.filter(({ runs_jobs }) => runs_jobs).length;
  const unwell = jobs.filter(({ state }) => state !== 'idle' && state !== 'running');
  const seen = fresh.flatMap(({ disk }) => (disk === null || disk.free_bytes === null ? [] : [disk.free_bytes]));
  return [
    ...(seen.length === 0 ? [] : [`Free on the disk of the database: ${(Math.min(...seen) / 1e9).toFixed(1)} GB`]),
    `Processes that reported in the last minute: ${fresh.length}, of them running jobs: ${workers}`,
    `Jobs: ${jobs.length}, ${unwell.length === 0 ? 'none stuck, late or failing' : unwell.map(({ job, state }) => `${job} ${state}`).join(', ')}`,
  ];
}

function backupText({ last_made_at, last_checked_at, last_check_ok }: BackupState): string {
  const at = (time: Date) => `${rfc3339(time).slice(0, 19)}Z`;
  const made = last_made_at === null ? 'none made' : `last made ${at(last_made_at)}`;
  if (last_checked_at === null) return `${made}; never checked`;
  return `${made}; last check ${at(last_checked_at)} ${last_check_ok ? 'found no fault' : 'failed'}`;
}

/** The evidence log, as `status` shows it. */
interface LogStatus extends LogOverview {
  /**
   * `off`: there is none. `signed`: it is, as far as this machine can see. `behind`: a submission or an outcome has waited
   * for its leaf for longer than the 5 minutes that are promised. `stopped`: it differs from what was seen here, or a witness refuses it.
   */
  readonly state: 'off' | 'signed' | 'behind' | 'stopped';
  readonly origin: string | null;
  readonly late_today: number;
  /** Why it is stopped. */
  readonly reason: string | null;
  /** Where this machine notes the newest tree; null without the key of the log. */
  readonly last_seen: string | null;
  /** Whether a tree is noted there. */
  readonly noted: boolean;
}

async function logStatus(
  storage: Pick<Storage, 'log' | 'signatures'>,
  config: Config,
  stored: StoredLogStatus,
): Promise<LogStatus> {
  const last_seen = config.evidenceLog?.lastSeen ?? null;
  const log = await storage.log.newest();
  if (log === null) return { ...stored, reason: null, last_seen, noted: false };
  const { reason, noted } = await comparedHere(storage, config, log);
  return { ...stored, state: reason !== null ? 'stopped' : stored.state, reason, last_seen, noted };
}

async function comparedHere(storage: Pick<Storage, 'log' | 'signatures'>, config: Config, log: StoredLog) {
  const writer = composeLogWriter(config);
  if (writer === null) return { reason: null, noted: false };
  try {
    const noted = (await guardLog(storage.log, writer.lastSeen, log)) !== null;
    const [refusing] = writer.witnesses ? await refusingWitnesses(storage, writer.witnesses.policy, log) : [];
    return { reason: refusing === undefined ? null : `The witness ${refusing} refuses ${log.origin}.`, noted };
  } catch (error) {
    if (error instanceof LogChanged) return { reason: error.message, noted: true };
    return { reason: error instanceof Error ? error.message : String(error), noted: false };
  }
}

/** Who else signs the newest log: its witnesses and its time-stamp authorities. */
function signerLines({ witnesses, timestamp_authorities }: Status): readonly string[] {
  const last = (at: Date | null, size: number) =>
    at === null ? 'never' : `last at ${secondOf(at)}, ${countedLeaves(size)}`;
  return [
    ...witnesses.map(
      ({ witness, cosigned_at, size, refused }) =>
        `Witness ${printable(witness)}: cosigned ${last(cosigned_at, size)}${refused ? '; it refuses since' : ''}`,
    ),
    ...timestamp_authorities.map(({ authority, stamped_at, size, failure, failed_at }) => {
      const failed = failed_at && failure !== null ? `; failed at ${secondOf(failed_at)}: ${printable(failure)}` : '';
      return `Time-stamp authority ${printable(authority)}: stamped ${last(stamped_at, size)}${failed}`;
    }),
  ];
}

function logLines({
  state,
  origin,
  size,
  signed_at,
  pending,
  late_today,
  last_seen,
  noted,
}: LogStatus): readonly string[] {
  if (state === 'off') {
    const why = last_seen === null ? 'this process has no LOG_KEY_FILE' : 'a worker starts it';
    return [`Evidence log: none yet; ${why}`];
  }
  const signed = signed_at === null ? '' : `, signed at ${rfc3339(signed_at).slice(0, 19)}Z`;
  return [
    `Evidence log: ${origin}, ${state}; ${countedLeaves(size)}${signed}; ${pending} events without a leaf`,
    `Logged late in the last 24 hours: ${late_today} realtime decisions`,
    ...(last_seen === null ? [] : [`Newest tree: ${noted ? 'noted' : 'not noted'} in ${last_seen}`]),
  ];
}

/** An unexplained leap of a series of days that the service has. */
export interface SeriesLeap extends UnexplainedLeap {
  readonly instrument: string;
  readonly source: string;
}

const SHOWN = 20;

/**
 * The leaps that nothing explains, of the days of every bar file and of every source whose days were fetched
 * (evaluation-3.md section 3). No request is sent.
 */
async function seriesLeaps(
  { barCache, clock }: Pick<Storage, 'barCache' | 'clock'>,
  barsDir: string,
): Promise<readonly SeriesLeap[]> {
  const now = (await clock.now()).getTime();
  const files = barFiles(barsDir);
  const leaps: SeriesLeap[] = [];
  for (const instrument of await instrumentsIn(barsDir)) leaps.push(...(await ofFiles(files, instrument, now)));
  for (const { source, instrument: key, bars } of await barCache.days(STATUS.series)) {
    const instrument = instrumentOf(key);
    if (!instrument) continue;
    const series = { source, size: '1d', bars, dropped: 0 } as const;
    leaps.push(
      ...leapsOf(
        instrument,
        series,
        withSource(calendarOf(instrument), await actionsOf(files, instrument, now), series),
      ),
    );
  }
  return leaps;
}

/** A line for each of the first leaps. */
function leapLines(leaps: readonly SeriesLeap[]): readonly string[] {
  if (leaps.length === 0) return [];
  const lines = leaps
    .slice(0, SHOWN)
    .map(
      ({ instrument, source, at, from, to, answer }) =>
        `  ${instrument} (${source}): from ${from} to ${to} at ${rfc3339(Date.parse(at))}. ${answer}`,
    );
  const more = leaps.length > SHOWN ? [`  and ${leaps.length - SHOWN} more (--json shows every one)`] : [];
  return [`Leaps of prices that nothing explains: ${leaps.length}`, ...lines, ...more];
}

async function ofFiles(files: MarketData, instrument: Instrument, now: Millis): Promise<readonly SeriesLeap[]> {
  try {
    const listing = await files.describe(instrument);
    if (!listing?.sizes.includes('1d')) return [];
    const series = await files.bars(instrument, '1d', listing.history_from, now, now);
    return leapsOf(instrument, series, await actionsOf(files, instrument, now));
  } catch (error) {
    // A file that cannot be read is reported by the evaluations that need it.
    if (error instanceof SourceUnavailable) return [];
    throw error;
  }
}

async function actionsOf(files: MarketData, instrument: Instrument, now: Millis): Promise<KnownActions> {
  return (await files.actions?.(instrument, now)) ?? NO_ACTIONS_KNOWN;
}

/** Each source of stocks on the network lists every action up to the fetch; what it listed is in the factors of its bars. */
function withSource(calendar: Calendar, known: KnownActions, { source, bars }: BarSeries): KnownActions {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return known;
  const dateOf = (at: Millis) => calendar.currentOrNext(at).date;
  return { ...known, lists: [...known.lists, { source, from: dateOf(first.start), until: dateOf(last.start) }] };
}

function leapsOf(instrument: Instrument, series: BarSeries, known: KnownActions): readonly SeriesLeap[] {
  const calendar = calendarOf(instrument);
  const evidence = { path: series, daily: { ...series, bars: [] }, listing: { delisted_at: null }, known };
  const { path } = withOperatorActions(calendar, evidence);
  const { leaps } = unexplainedLeaps(calendar, { size: '1d', bars: path.bars }, known);
  return leaps.map((leap) => ({ instrument: instrumentKey(instrument), source: series.source, ...leap }));
}

/** null for a key that is none. */
function instrumentOf(key: string): Instrument | null {
  try {
    return namedInstrumentIn(key);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
