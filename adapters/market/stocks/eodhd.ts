import { calendarOf, timeZoneOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, type Millis, utcDate } from '../../../domain/time.ts';
import { localDate } from '../../../domain/zoned-time.ts';
import { type Candle, fieldsOf, listOf, MalformedAnswer, numberOf, textOf } from '../candles.ts';
import type { Allowance, SourceClient } from '../source-client.ts';
import { dateOf, priced, type StockService, unitsOf } from './stock-source.ts';

/** What a venue's symbols end with there, by how they end here; six digits of mainland China by their venue. */
const EXCHANGES: Readonly<Record<string, string>> = {
  ...{ HK: 'HK', NS: 'NSE', BO: 'BSE', KS: 'KO', KQ: 'KQ', TW: 'TW', L: 'LSE', PA: 'PA', AS: 'AS', BR: 'BR', LS: 'LS' },
  ...{ DE: 'XETRA', SW: 'SW', TO: 'TO', AX: 'AU', SS: 'SHG', SSE: 'SHG', SZSE: 'SHE' },
};

/** The source has no prices of Tokyo, and those of the United States have sources that list every action. */
export const EODHD_VENUES: readonly string[] = [
  ...['SSE', 'SZSE', 'HKEX', 'NSE', 'BSE', 'KRX', 'TWSE', 'LSE', 'EURONEXT', 'XETRA', 'SIX', 'TSX', 'ASX'],
];

/** How long a list of an exchange serves: it costs one of the day's requests. */
const LIST_KEPT = DAY;

export interface EodhdPlan {
  readonly key: string;
  /** How far back the plan's history goes. */
  readonly years: number;
  readonly perDay: number;
}

/** Half of the day's requests at once, and as many over the day: never more in any day than the plan allows. */
export function eodhdAllowance({ perDay }: Pick<EodhdPlan, 'perDay'>): Allowance {
  return { perSecond: perDay / 2 / 86_400, burst: Math.max(1, perDay / 2) };
}

/**
 * Days of stocks outside the United States from EODHD, as they were traded, by the dates of the venue. Prices come
 * without a currency: the list of the exchange says in which unit each is, pence apart from pounds. Splits and dividends
 * are known from the adjusted closes alone. A symbol that is not in the list is unknown, for old codes keep replying.
 */
export function eodhd(client: SourceClient, plan: EodhdPlan, clock: { now(): Millis }): StockService {
  const listed = exchangeLists(client, clock);
  const oldest = (at: Millis) => at - (plan.years * 365 - 1) * DAY;
  const rowsOf = async (instrument: Instrument, from: Millis, to: Millis): Promise<Days> => {
    const name = nameAtEodhd(instrument);
    const units = unitsOf((await listed(instrument, name.exchange)).get(name.code), instrument);
    if (units === null) return { candles: [], adjusted: new Map() };
    return askDays(client, instrument, { name, from: Math.max(from, oldest(to)), to, units });
  };
  return {
    source: client.source,
    sizes: ['1d'],
    cadence: 'end_of_day',
    prices: 'raw',
    delay: () => 0,
    step: () => DAY,
    candles: async (instrument, _, from, to) => (await rowsOf(instrument, from, to)).candles,
    days: async (instrument, now) => ({ ...(await rowsOf(instrument, oldest(now), now)), actions: [] }),
    reach: (_, at) => oldest(at),
  };
}

interface Asked {
  readonly name: NameAtEodhd;
  readonly from: Millis;
  readonly to: Millis;
  units(price: number): number;
}

function askDays(client: SourceClient, about: Instrument, { name, from, to, units }: Asked): Promise<Days> {
  return client.ask({
    about,
    path: `/eod/${encodeURIComponent(`${name.code}.${name.exchange}`)}`,
    query: { fmt: 'json', period: 'd', order: 'a', from: localDate(from, timeZoneOf(about)), to: utcDate(to) },
    read: (body) => daysOf(body, about, units),
  });
}

interface Days {
  readonly candles: readonly Candle[];
  readonly adjusted: ReadonlyMap<Millis, number>;
}

interface NameAtEodhd {
  readonly code: string;
  readonly exchange: string;
}

function nameAtEodhd({ symbol, venue }: Instrument): NameAtEodhd {
  const end = symbol.lastIndexOf('.');
  const [ticker, suffix] = end < 0 ? [symbol, venue] : [symbol.slice(0, end), symbol.slice(end + 1)];
  return { code: ticker.replaceAll('.', '-'), exchange: EXCHANGES[suffix] ?? suffix };
}

/** The currency of each code of an exchange. Those who ask at once share one reply, and a failure is not kept. */
function exchangeLists(client: SourceClient, clock: { now(): Millis }) {
  const kept = new Map<string, { readonly until: Millis; readonly list: Promise<ReadonlyMap<string, string>> }>();
  return (about: Instrument, exchange: string): Promise<ReadonlyMap<string, string>> => {
    const held = kept.get(exchange);
    if (held && clock.now() < held.until) return held.list;
    const path = `/exchange-symbol-list/${exchange}`;
    const list = client.ask({ about, path, query: { fmt: 'json' }, read: currenciesOf });
    kept.set(exchange, { until: clock.now() + LIST_KEPT, list });
    list.catch(() => kept.delete(exchange));
    return list;
  };
}

function currenciesOf(body: unknown): ReadonlyMap<string, string> {
  return new Map(
    listOf(body).map((row) => {
      const { Code, Currency } = fieldsOf(row);
      return [textOf(Code), typeof Currency === 'string' ? Currency : ''];
    }),
  );
}

/** A plan that reaches less far back than was asked for adds a row with a warning alone. */
function daysOf(body: unknown, instrument: Instrument, units: (price: number) => number): Days {
  const rows = listOf(body)
    .map(fieldsOf)
    .filter((row) => !('warning' in row));
  const calendar = calendarOf(instrument);
  const dated = rows.map((row) => ({ row, day: dateOf(row.date) }));
  if (dated.some(({ day }, i) => i > 0 && day < (dated[i - 1]?.day ?? 0))) throw new MalformedAnswer('not in order');
  return {
    // A date without a session there is no day: some holidays have rows that repeat the day before.
    candles: dated.flatMap(({ row, day }) => {
      const start = calendar.onDate(utcDate(day))?.open;
      const { open, high, low, close, volume } = row;
      const [o, h, l, c, v] = [open, high, low, close, volume].map(numberOf) as [
        number,
        number,
        number,
        number,
        number,
      ];
      return start === undefined ? [] : [priced({ start, open: o, high: h, low: l, close: c, volume: v }, units)];
    }),
    adjusted: new Map(
      dated.flatMap(({ row, day }): [Millis, number][] => {
        const close = numberOf(row.adjusted_close);
        return close > 0 ? [[day, units(close)]] : [];
      }),
    ),
  };
}
