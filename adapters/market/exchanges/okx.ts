import { type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { AssetClass } from '../../../domain/market/venues.ts';
import type { Millis } from '../../../domain/time.ts';
import { AskedTooOften, candlesOf, fieldsOf, listOf, MalformedAnswer, timeOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { ExchangeApi, TradingStatus } from './exchange-source.ts';

/** Half of the 20 requests in two seconds that the history allows; recent candles allow twice as many. */
export const OKX_ALLOWANCE = { perSecond: 5, burst: 10 };

/** The newest candles of any size come from an interface of their own. */
const RECENT = 1_440;

/**
 * Spot pairs, or linear swaps at the last trade's price. Candles come newest first and say whether they are final; days
 * are asked for as UTC days, because the plain ones begin in Hong Kong.
 */
export function okx(client: SourceClient, asset_class: AssetClass, clock: { now(): Millis }): ExchangeApi {
  const perPage = 300;
  return {
    source: client.source,
    asset_class,
    perPage,
    tradingStatus: (instrument) =>
      client.ask({
        about: instrument,
        path: '/api/v5/public/instruments',
        query: { instType: asset_class === 'spot' ? 'SPOT' : 'SWAP', instId: idOf(instrument) },
        answers: [400],
        read: statusOf,
      }),
    page: (instrument, size, from, to) =>
      client.ask({
        about: instrument,
        path: isRecent(size, from, clock.now()) ? '/api/v5/market/candles' : '/api/v5/market/history-candles',
        // `before` means newer than, `after` older than.
        query: { instId: idOf(instrument), bar: BARS[size], before: from - 1, after: to, limit: perPage },
        read: (body) => candlesOf(finalOf(dataOf(body)), COLUMNS, 1),
      }),
  };
}

const COLUMNS = { start: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };
const CONFIRM = 8;
const BARS: Readonly<Record<BarSize, string>> = { '1m': '1m', '5m': '5m', '1h': '1H', '1d': '1Dutc' };

const NO_INSTRUMENT = '51001';
const TOO_MANY_REQUESTS = '50011';

function idOf({ symbol, quote_currency, asset_class }: Instrument): string {
  return asset_class === 'spot' ? `${symbol}-${quote_currency}` : `${symbol}-${quote_currency}-SWAP`;
}

function isRecent(size: BarSize, from: Millis, now: Millis): boolean {
  return now - from < (RECENT - 1) * lengthOf(size);
}

function statusOf(body: unknown): TradingStatus | null {
  if (fieldsOf(body).code === NO_INSTRUMENT) return null;
  const [first] = dataOf(body);
  if (first === undefined) return null;
  const { state, listTime } = fieldsOf(first);
  return state === 'preopen' ? null : { trading: state === 'live', listed_at: timeOf(listTime, 1) };
}

/** Errors may come with status 200. */
function dataOf(body: unknown): readonly unknown[] {
  const { code, data } = fieldsOf(body);
  if (code === TOO_MANY_REQUESTS) throw new AskedTooOften(`error ${code}`);
  if (code !== '0') throw new MalformedAnswer(`error ${code}`);
  return listOf(data);
}

function finalOf(rows: readonly unknown[]): readonly unknown[] {
  return rows.filter((row) => listOf(row)[CONFIRM] === '1');
}
