import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, MINUTE, type Millis, rfc3339 } from '../../../domain/time.ts';
import {
  type Candle,
  everyPage,
  type Fields,
  fieldsOf,
  listOf,
  MalformedAnswer,
  type PageOfRows,
  textOf,
} from '../candles.ts';
import type { Allowance, SourceClient } from '../source-client.ts';
import type { DatedAction } from './stock-history.ts';
import { amountOf, candlesByLetter, dateOf, dateText, dayOf, instantOf, type StockService } from './stock-source.ts';

/** What every account has; a subscription has 10,000. */
export const ALPACA_ALLOWANCE = perMinute(200);

export interface AlpacaKeys {
  readonly key: string;
  readonly secret: string;
}

/** `sip`: all US exchanges, 15 minutes late without a subscription. `iex`: one exchange with a few percent of the volume. */
export type AlpacaFeed = 'sip' | 'iex';

/** Where its history begins. */
const SINCE = Date.UTC(2016, 0, 1);

export function alpacaHeaders({ key, secret }: AlpacaKeys): Readonly<Record<string, string>> {
  return { 'apca-api-key-id': key, 'apca-api-secret-key': secret };
}

/**
 * US stocks. Bars begin on the clock in UTC, days at midnight in New York; minutes without trades are missing, and those
 * before and after the session are there. Hours are put together from half hours: the source's own begin on the hour.
 */
export function alpaca(
  client: SourceClient,
  { feed, since = SINCE }: { readonly feed: AlpacaFeed; readonly since?: Millis },
): StockService {
  const bars = (instrument: Instrument, query: BarQuery) => candles(client, instrument, { ...query, feed });
  return {
    source: client.source,
    cadence: 'continuous',
    prices: 'raw',
    // One minute more than the source asks for: its clock is not ours.
    delay: () => (feed === 'sip' ? 16 * MINUTE : 0),
    step: (size) => STEPS[size],
    candles: (instrument, size, from, to) => bars(instrument, { size, from, to, adjustment: 'raw' }),
    reach: () => since,
    async days(instrument, now) {
      const stretch = { size: '1d', from: since, to: feed === 'sip' ? now - 16 * MINUTE : now } as const;
      const raw = await bars(instrument, { ...stretch, adjustment: 'raw' });
      if (raw.length === 0) return { candles: [], actions: [] };
      const all = await bars(instrument, { ...stretch, adjustment: 'all' });
      return {
        candles: raw,
        adjusted: new Map(all.map(({ start, close }) => [dayOf(start), close])),
        actions: await splits(client, instrument, since, now),
      };
    },
  };
}

interface BarQuery {
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
  readonly adjustment: 'raw' | 'all';
}

/** The candles that bars of a size are put together from. */
const STEPS: Readonly<Record<BarSize, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': 30 * MINUTE, '1d': DAY };
const TIMEFRAMES: Readonly<Record<BarSize, string>> = { '1m': '1Min', '5m': '5Min', '1h': '30Min', '1d': '1Day' };

function candles(
  client: SourceClient,
  instrument: Instrument,
  { size, from, to, adjustment, feed }: BarQuery & { readonly feed: AlpacaFeed },
): Promise<readonly Candle[]> {
  const query = {
    timeframe: TIMEFRAMES[size],
    start: rfc3339(from),
    end: rfc3339(to - 1),
    limit: 10_000,
    adjustment,
    feed,
  };
  return everyPage(client.source, (token) =>
    client.ask({
      about: instrument,
      path: `/v2/stocks/${encodeURIComponent(instrument.symbol)}/bars`,
      query: token === null ? query : { ...query, page_token: token },
      answers: [400],
      read: (body, status) => (status === 400 ? unknownSymbol(body) : pageOf(body)),
    }),
  );
}

function pageOf(body: unknown): PageOfRows<Candle> {
  const { bars, next_page_token } = fieldsOf(body);
  return { rows: candlesByLetter(bars, instantOf), next: tokenOf(next_page_token) };
}

function unknownSymbol(body: unknown): PageOfRows<never> {
  const { message } = fieldsOf(body);
  if (typeof message !== 'string' || !message.startsWith('invalid symbol')) throw new MalformedAnswer('error 400');
  return { rows: [], next: null };
}

/** By ex-date; dividends are in the adjusted closes, and what is neither split there too. */
async function splits(client: SourceClient, instrument: Instrument, since: Millis, now: Millis) {
  const query = {
    symbols: instrument.symbol,
    types: 'forward_split,reverse_split',
    start: dateText(since),
    end: dateText(now),
    limit: 1_000,
  };
  return everyPage(client.source, (token) =>
    client.ask({
      about: instrument,
      path: '/v1/corporate-actions',
      query: token === null ? query : { ...query, page_token: token },
      read: splitsOf,
    }),
  );
}

function splitsOf(body: unknown): PageOfRows<DatedAction> {
  const { corporate_actions, next_page_token } = fieldsOf(body);
  const { forward_splits, reverse_splits } = fieldsOf(corporate_actions ?? {});
  const rows = [...listOf(forward_splits ?? []), ...listOf(reverse_splits ?? [])].map(fieldsOf);
  return { rows: rows.map(splitOf), next: tokenOf(next_page_token) };
}

function splitOf(row: Fields): DatedAction {
  return { ex_date: dateOf(row.ex_date), kind: 'split', value: amountOf(row, 'new_rate') / amountOf(row, 'old_rate') };
}

function tokenOf(value: unknown): string | null {
  return value === null || value === undefined || value === '' ? null : textOf(value);
}

/**
 * What keeps within so many requests in any minute, wherever the minute begins: those of a burst and those that follow
 * it together.
 */
export function perMinute(requests: number): Allowance {
  const burst = Math.max(1, Math.floor(requests / 4));
  return { perSecond: (requests - burst) / 60, burst };
}
