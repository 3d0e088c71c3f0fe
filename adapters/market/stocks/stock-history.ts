import { type CorporateAction, type Factors, factorsOf } from '../../../domain/market/adjustment.ts';
import { soundBars } from '../../../domain/market/bar-inspection.ts';
import { type Bar, type BarSize, hasVolume, lengthOf, tradedBars } from '../../../domain/market/bars.ts';
import type { Calendar, Segment } from '../../../domain/market/calendar.ts';
import { type KnownActions, SourceUnavailable } from '../../../domain/market/market-data.ts';
import { DAY, type Millis, utcDate } from '../../../domain/time.ts';
import type { Candle } from '../candles.ts';

/** All that a source knows of a stock's days. */
export interface DailyCandles {
  readonly candles: readonly Candle[];
  /** Split- and dividend-adjusted closes by 00:00 UTC of the session's date, where the source has its own; else dividends count. */
  readonly adjusted?: ReadonlyMap<Millis, number>;
  readonly actions: readonly DatedAction[];
}

export interface DatedAction extends Omit<CorporateAction, 'at'> {
  /** 00:00 UTC of the date. */
  readonly ex_date: Millis;
}

/** A stock's days as traded, and what brings the prices of any instant into the units of the day of loading. */
export interface StockHistory extends SessionBars {
  readonly loaded_at: Millis;
  factors(start: Millis): Factors;
  asTraded(bar: SessionBar): SessionBar;
  /** The actions up to the day of loading, and the dates of which these are all. */
  readonly known: KnownActions;
}

/** `prices` says whether the source has already brought them into the units of today's shares. */
export function stockHistory(
  calendar: Calendar,
  source: { readonly source: string; readonly prices: 'raw' | 'split_adjusted' },
  { candles, adjusted, actions }: DailyCandles,
  loaded_at: Millis,
): StockHistory {
  const happened = actions
    .map(({ ex_date, kind, value }) => ({ at: calendar.currentOrNext(ex_date).open, kind, value }))
    .filter(({ at }) => at <= loaded_at);
  const splitAt = factorsOf([], happened);
  const asTraded = source.prices === 'raw' ? (bar: SessionBar) => bar : (bar: SessionBar) => undone(bar, splitAt);
  const daily = sessionBars(calendar, { size: '1d', step: DAY, volumeIsKnown: hasVolume(candles) }, candles);
  const bars = daily.bars.map(asTraded);
  const closes = bars.map(({ start, close }) => ({
    start,
    close,
    adj_close: adjusted?.get(Date.parse(calendar.currentOrNext(start).date)) ?? null,
  }));
  const factors = usable(source.source, factorsOf(closes, happened));
  return {
    bars,
    lost: daily.lost,
    loaded_at,
    factors,
    asTraded,
    known: knownOf(calendar, source.source, bars, happened, adjusted ? null : loaded_at),
  };
}

/**
 * Adjusted closes account for every action over their rows; a list does so up to the fetch.
 * @param until null where it has adjusted closes
 */
function knownOf(
  calendar: Calendar,
  source: string,
  bars: readonly SessionBar[],
  actions: readonly CorporateAction[],
  until: Millis | null,
): KnownActions {
  const [first, last] = [bars[0], bars.at(-1)];
  const dateOf = (at: Millis) => calendar.currentOrNext(at).date;
  const lists =
    first && last
      ? [{ source, from: dateOf(first.start), until: until === null ? dateOf(last.start) : utcDate(until) }]
      : [];
  return { actions: actions.map((action) => ({ ...action, source })), lists, none: [], listed_on: null };
}

/** Whether nothing can have happened to the shares since: splits and dividends take effect at an open. */
export function isFresh({ loaded_at }: StockHistory, calendar: Calendar, now: Millis): boolean {
  const session = calendar.currentOrNext(now);
  return loaded_at >= (session.open <= now ? session : calendar.nthBefore(now, 1)).open;
}

function undone(bar: SessionBar, factors: (start: Millis) => Factors): SessionBar {
  const { split } = factors(bar.start);
  return {
    ...bar,
    open: bar.open / split,
    high: bar.high / split,
    low: bar.low / split,
    close: bar.close / split,
    volume: bar.volume === null ? null : bar.volume * split,
  };
}

/** A dividend above the price, or an adjusted close of 0, is no ground to grade on. */
function usable(source: string, factors: (start: Millis) => Factors): (start: Millis) => Factors {
  return (start) => {
    const { split, total } = factors(start);
    if (![split, total].every((factor) => factor > 0 && Number.isFinite(factor))) {
      throw new SourceUnavailable(`${source} reports impossible splits or dividends`);
    }
    return { split, total };
  };
}

/** Prices as the source sends them, before any factor. */
type SessionBar = Omit<Bar, 'split' | 'total'>;

export interface SessionBars {
  readonly bars: readonly SessionBar[];
  /** Where bars were that break evaluation.md section 6. */
  readonly lost: readonly Span[];
}

type Span = Pick<Bar, 'start' | 'end'>;

/**
 * A stock source's candles as the bars of its sessions. Hours are counted from the open, so that none mixes in what was
 * traded before it; candles of `step` are put together where they are shorter than the bar. What lies outside the
 * sessions, or begins between two steps, is left out; of two candles for one instant the one sent last counts.
 * @param volumeIsKnown whether a candle of volume 0 with one price had no trade: then it is no part of a longer bar that
 *   has trades (evaluation-2.md section 1)
 */
export function sessionBars(
  calendar: Calendar,
  { size, step, volumeIsKnown }: { readonly size: BarSize; readonly step: Millis; readonly volumeIsKnown: boolean },
  candles: readonly Candle[],
): SessionBars {
  const each = [...new Map(candles.map((candle) => [candle.start, candle])).values()];
  const slots = new Map<Millis, { slot: Segment; candles: Candle[] }>();
  for (const candle of each.sort((a, b) => a.start - b.start)) {
    const slot = size === '1d' ? sessionOf(calendar, candle) : slotOf(calendar, lengthOf(size), step, candle);
    if (!slot) continue;
    const held = slots.get(slot.open);
    if (held) held.candles.push(candle);
    else slots.set(slot.open, { slot, candles: [candle] });
  }
  const all = [...slots.values()].map(({ slot, candles }) => {
    const traded = tradedBars(candles, volumeIsKnown);
    return merged(slot, traded.length > 0 ? traded : candles);
  });
  const { bars } = soundBars(all);
  const sound = new Set(bars);
  return { bars, lost: all.filter((bar) => !sound.has(bar)) };
}

/** Those with start >= from and end <= to. */
export function spansWithin<T extends Span>(spans: readonly T[], from: Millis, to: Millis): readonly T[] {
  return spans.filter(({ start, end }) => start >= from && end <= to);
}

/**
 * The session that a day's candle begins in, which may open on the UTC date before its own; else the one on the candle's
 * UTC date: days of US stocks may begin at midnight in New York, or after the close.
 */
function sessionOf(calendar: Calendar, { start }: Candle): Segment | undefined {
  const current = calendar.currentOrNext(start);
  if (current.open <= start) return current;
  const day = Math.floor(start / DAY) * DAY;
  return calendar.sessions(day, day + DAY)[0];
}

function slotOf(calendar: Calendar, length: Millis, step: Millis, { start }: Candle): Segment | undefined {
  const { segments } = calendar.currentOrNext(start);
  const segment = segments.find(({ open, close }) => open <= start && start < close);
  if (!segment || (start - segment.open) % step !== 0) return undefined;
  const open = segment.open + Math.floor((start - segment.open) / length) * length;
  return { open, close: Math.min(open + length, segment.close) };
}

/** One price that cannot be read makes the whole bar unsound: nobody knows whether it was the highest. */
function merged(slot: Segment, candles: readonly Candle[]): SessionBar {
  const volume = candles.reduce((sum, candle) => sum + candle.volume, 0);
  return {
    start: slot.open,
    end: slot.close,
    open: candles[0]?.open ?? Number.NaN,
    high: Math.max(...candles.map(({ high }) => high)),
    low: volume < 0 ? Number.NaN : Math.min(...candles.map(({ low }) => low)),
    close: candles.at(-1)?.close ?? Number.NaN,
    volume: Number.isNaN(volume) ? null : volume,
  };
}
