import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { instrumentsIn } from '../../adapters/market/files/bar-folder.ts';
import type { Storage } from '../../application/ports.ts';
import { withOperatorActions } from '../../domain/grading/paths/operator-actions.ts';
import { type UnexplainedLeap, unexplainedLeaps } from '../../domain/grading/unexplained-leaps.ts';
import { STATUS } from '../../domain/limits.ts';
import type { Calendar } from '../../domain/market/calendar.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  type KnownActions,
  type MarketData,
  NO_ACTIONS_KNOWN,
  SourceUnavailable,
} from '../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../domain/time.ts';
import { namedInstrumentIn, UsageError } from './command.ts';

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
export async function seriesLeaps(
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
export function leapLines(leaps: readonly SeriesLeap[]): readonly string[] {
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
