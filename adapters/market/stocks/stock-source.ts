import { BAR_SIZES, type BarSize, hasVolume } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { type Listing, type MarketData, OutOfReach, openCoverage } from '../../../domain/market/market-data.ts';
import { currencyName } from '../../../domain/market/symbol.ts';
import { MINOR_UNITS } from '../../../domain/market/venues/venue-file.ts';
import { DAY, type Millis } from '../../../domain/time.ts';
import { type Candle, type Fields, fieldsOf, listOf, MalformedAnswer, numberOf } from '../candles.ts';
import {
  type DailyCandles,
  isFresh,
  type SessionBars,
  type StockHistory,
  sessionBars,
  spansWithin,
  stockHistory,
} from './stock-history.ts';

/** 2100-01-01T00:00:00Z: calendars reach from 1970 to there. */
const LATEST = Date.UTC(2100, 0, 1);

/** The requests that differ between sources of stock prices; what follows from their answers is here once. */
export interface StockService {
  readonly source: string;
  /** All sizes where it is left out. */
  readonly sizes?: readonly BarSize[];
  readonly cadence: Listing['cadence'];
  readonly prices: 'raw' | 'split_adjusted';
  /** How long after its end a bar can be asked for. */
  delay(instrument: Instrument): Millis;
  /** The length of the candles that bars of a size are put together from. */
  step(size: BarSize, instrument: Instrument): Millis;
  /** The candles of that length whose start lies in [from, to), in any order; others do no harm. */
  candles(instrument: Instrument, size: BarSize, from: Millis, to: Millis): Promise<readonly Candle[]>;
  /** All days up to an instant; no candle for a symbol that it does not know. */
  days(instrument: Instrument, to: Millis): Promise<DailyCandles>;
  /** The oldest start that it serves at `at`; -Infinity where it has bars since the listing. */
  reach(size: BarSize, at: Millis, instrument: Instrument): Millis;
}

/** A stock without a print for so many sessions has left: halts end sooner. */
const LEFT_AFTER = 10;

/** Some 3,000 days each. */
const HISTORIES = 64;

/**
 * A source of stock prices: bars of regular sessions as they were traded, with factors into today's units from the
 * source's own splits and dividends. A stock's days are asked for once per session and serve until the next open.
 */
export function stockSource(service: StockService, clock: { now(): Millis }): MarketData {
  const historyOf = histories(service);
  return {
    async describe(instrument) {
      if (instrument.asset_class !== 'spot' || instrument.market !== 'stock') return null;
      const now = clock.now();
      return listingOf(service, instrument, await historyOf(instrument, now), now);
    },
    async bars(instrument, size, from, to, now) {
      const delay = service.delay(instrument);
      const end = Math.min(to, now - delay);
      if (from >= end) return { source: service.source, size, bars: [], dropped: 0 };
      const history = await historyOf(instrument, now);
      const [oldest] = history.bars;
      if (oldest && end <= oldest.start)
        throw new OutOfReach(`${service.source} has nothing of ${instrumentKey(instrument)} so far back`);
      const known = size === '1d' && end <= history.loaded_at - delay;
      const { bars, lost } = known ? history : await ask(service, history, { instrument, size, from, to: end });
      const adjusted = spansWithin(bars, from, end).map((bar) => ({ ...bar, ...history.factors(bar.start) }));
      return { source: service.source, size, bars: adjusted, dropped: spansWithin(lost, from, end).length };
    },
    actions: async (instrument, now) => (await historyOf(instrument, now)).known,
    async coverage(instrument, at) {
      if (instrument.market !== 'stock' || instrument.asset_class !== 'spot') return [];
      const { sizes = BAR_SIZES } = service;
      const { spans, ...covered } = openCoverage(service.source, (size) => service.reach(size, at, instrument));
      return [{ ...covered, spans: Object.fromEntries(sizes.map((size) => [size, spans[size]])) }];
    },
  };
}

interface Stretch {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

async function ask(
  { step, candles }: StockService,
  history: StockHistory,
  { instrument, size, from, to }: Stretch,
): Promise<SessionBars> {
  // A day's candle may begin at midnight, long before its session.
  const first = size === '1d' ? Math.floor(from / DAY) * DAY : from;
  const sent = await candles(instrument, size, first, to);
  const volumeIsKnown = hasVolume(history.bars);
  const { bars, lost } = sessionBars(
    calendarOf(instrument),
    { size, step: step(size, instrument), volumeIsKnown },
    sent,
  );
  return { bars: bars.map(history.asTraded), lost };
}

function listingOf(
  { source, sizes = BAR_SIZES, cadence, delay }: StockService,
  instrument: Instrument,
  { bars }: StockHistory,
  now: Millis,
): Listing | null {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return null;
  const left = last.end <= calendarOf(instrument).nthBefore(now - delay(instrument), LEFT_AFTER).open;
  return { source, sizes, history_from: first.start, delisted_at: left ? last.end : null, cadence };
}

/** The days of the stocks asked for lately; those who ask at once share one answer, and a failure is not kept. */
function histories(service: StockService): (instrument: Instrument, now: Millis) => Promise<StockHistory> {
  const kept = new Map<string, Promise<StockHistory>>();
  return (instrument, now) => {
    const key = instrumentKey(instrument);
    const calendar = calendarOf(instrument);
    const known: Promise<StockHistory | null> = kept.get(key)?.catch(() => null) ?? Promise.resolve(null);
    const renewed = known.then(async (held) =>
      held && isFresh(held, calendar, now)
        ? held
        : stockHistory(calendar, service, await service.days(instrument, now), now),
    );
    kept.delete(key);
    kept.set(key, renewed);
    for (const oldest of kept.keys()) if (kept.size > HISTORIES) kept.delete(oldest);
    return renewed;
  };
}

/** Rows of `{ t, o, h, l, c, v }`, as several stock sources send them; none where the answer has no list. */
export function candlesByLetter(rows: unknown, timeOfRow: (t: unknown) => Millis): Candle[] {
  return listOf(rows ?? []).map((row) => {
    const { t, o, h, l, c, v } = fieldsOf(row);
    const start = timeOfRow(t);
    if (start < 0) throw new MalformedAnswer('not a time');
    return {
      start,
      open: numberOf(o),
      high: numberOf(h),
      low: numberOf(l),
      close: numberOf(c),
      volume: numberOf(v),
    };
  });
}

/** An instant in UTC, `2026-02-27T14:30:00Z`. */
export function instantOf(value: unknown): Millis {
  const sent = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!(sent >= 0 && sent <= LATEST)) throw new MalformedAnswer('not a time');
  return sent;
}

/** 00:00 UTC of a date `YYYY-MM-DD`. */
export function dateOf(value: unknown): Millis {
  const date = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!(date >= 0 && date <= LATEST)) throw new MalformedAnswer('not a date');
  return date;
}

/** A number above 0: a split's side, a dividend. */
export function amountOf(row: Fields, name: string): number {
  const amount = numberOf(row[name]);
  if (!(amount > 0 && Number.isFinite(amount))) throw new MalformedAnswer(`no ${name}`);
  return amount;
}

/** `YYYY-MM-DD` in UTC. */
export function dateText(at: Millis): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The UTC day that an instant falls on. */
export function dayOf(at: Millis): Millis {
  return Math.floor(at / DAY) * DAY;
}

/**
 * What brings the source's prices into the units of an instrument. Pence and pounds are two units of one currency: the
 * case of their letters says which. Null for another currency.
 */
export function unitsOf(sent: unknown, { quote_currency }: Instrument): ((price: number) => number) | null {
  const currency = typeof sent === 'string' ? (currencyName(sent) ?? '') : '';
  if (currency === quote_currency) return (price) => price;
  if (MINOR_UNITS[currency]?.of === quote_currency) return (price) => price / 100;
  return MINOR_UNITS[quote_currency]?.of === currency ? (price) => price * 100 : null;
}

export function priced(candle: Candle, inUnits: (price: number) => number): Candle {
  const { open, high, low, close } = candle;
  return { ...candle, open: inUnits(open), high: inUnits(high), low: inUnits(low), close: inUnits(close) };
}
