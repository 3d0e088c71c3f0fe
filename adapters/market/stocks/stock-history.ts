import { type CorporateAction, type Factors, factorsOf } from '../../../domain/market/adjustment.ts';
import type { Calendar } from '../../../domain/market/calendar.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import { hasVolume } from '../../../domain/market/traded-bars.ts';
import { DAY, type Millis } from '../../../domain/time.ts';
import type { Candle } from '../candles.ts';
import { type SessionBar, type SessionBars, sessionBars } from './session-bars.ts';

/** All that a source knows of a stock's days. */
export interface DailyCandles {
  readonly candles: readonly Candle[];
  /** Split- and dividend-adjusted closes by the UTC day they fall on, where the source has its own; else dividends count. */
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
    adj_close: adjusted?.get(Math.floor(start / DAY) * DAY) ?? null,
  }));
  return { bars, lost: daily.lost, loaded_at, factors: usable(source.source, factorsOf(closes, happened)), asTraded };
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
