import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis } from '../../domain/time.ts';
import type { Random } from '../random.ts';

/** Real history that is installed with the project, and the times of decisions on it. */
export interface Ground {
  readonly instrument: Instrument;
  /** The bars for a strategy. */
  readonly size: '1m' | '1d';
  /** The start of the history for a strategy. */
  historyFrom(cutoff: Millis): Millis;
  readonly horizon_kind: 'trading_days' | 'holding_seconds';
  readonly horizons: readonly [number, ...number[]];
  /** A random time with enough history before it and a complete window after it. */
  moment(random: Random): Millis;
}

const MSFT: Instrument = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};
const TXN: Instrument = { ...MSFT, symbol: 'TXN' };
const SPX: Instrument = { ...MSFT, symbol: 'SPX', venue: 'NYSE' };
const PUDONG: Instrument = { ...MSFT, symbol: '600000', venue: 'SSE', quote_currency: 'CNY' };
const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};

export const SHARES: Ground = daily(MSFT, '2000-06-01', '2014-06-01');
export const CHIPS: Ground = daily(TXN, '2000-06-01', '2014-06-01');
export const INDEX: Ground = daily(SPX, '2000-06-01', '2020-03-01');

export const COIN: Ground = {
  instrument: BTC,
  size: '1d',
  historyFrom: (cutoff) => cutoff - 90 * DAY,
  horizon_kind: 'holding_seconds',
  horizons: [3, 7, 14].map((days) => (days * DAY) / 1_000) as [number, ...number[]],
  moment: (random) => Date.parse('2016-10-01') + random.below(250) * DAY,
};

/** Minutes in a session of Shanghai. */
export const MINUTES: Ground = {
  instrument: PUDONG,
  size: '1m',
  historyFrom: (cutoff) => calendarOf(PUDONG).nthBefore(cutoff, 1).open,
  horizon_kind: 'holding_seconds',
  // In shorter windows one step of the price is wider than a bucket.
  horizons: [10_800, 14_400],
  moment(random) {
    const session = calendarOf(PUDONG).nthFrom(Date.parse('2024-06-17'), 1 + random.below(15));
    return session.open + (60 + random.below(30)) * MINUTE;
  },
};

/** The same ground, with decisions in the two years from June 2012 alone. */
export function inTwoYears({ instrument }: Ground): Ground {
  return daily(instrument, '2012-06-01', '2014-06-01');
}

function daily(instrument: Instrument, from: string, to: string): Ground {
  const days = (Date.parse(to) - Date.parse(from)) / DAY;
  return {
    instrument,
    size: '1d',
    historyFrom: (cutoff) => cutoff - 120 * DAY,
    horizon_kind: 'trading_days',
    horizons: [3, 5, 10, 20],
    moment: (random) =>
      calendarOf(instrument).nthFrom(Date.parse(from) + random.below(days) * DAY, 1).open - 30 * MINUTE,
  };
}
