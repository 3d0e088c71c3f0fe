import { lengthOf } from '../../../domain/market/bar-size.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { rfc3339, SECOND } from '../../../domain/time.ts';
import { fieldsOf, textOf } from '../answer.ts';
import { candlesOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { ExchangeApi, TradingStatus } from './exchange-source.ts';

/** Half of the 10 a second that one address may ask. */
export const COINBASE_ALLOWANCE = { perSecond: 5, burst: 5 };

/** Pairs of Coinbase Exchange. Candles begin on UTC time, come newest first, and are left out where nothing traded. */
export function coinbase(client: SourceClient): ExchangeApi {
  return {
    source: client.source,
    asset_class: 'spot',
    perPage: 300,
    tradingStatus: (instrument) =>
      client.ask({
        about: instrument,
        path: `/products/${productOf(instrument)}`,
        answers: [404],
        read: (body, status) => (status === 404 ? null : standingOf(body)),
      }),
    page: (instrument, size, from, to) =>
      client.ask({
        about: instrument,
        path: `/products/${productOf(instrument)}/candles`,
        query: {
          granularity: lengthOf(size) / SECOND,
          start: rfc3339(from),
          // Both ends count: up to `to` itself a full page would be one bar too long, and refused.
          end: rfc3339(to - lengthOf(size)),
        },
        read: (body) => candlesOf(body, COLUMNS, SECOND),
      }),
  };
}

const COLUMNS = { start: 0, low: 1, high: 2, open: 3, close: 4, volume: 5 };

function productOf({ symbol, quote_currency }: Instrument): string {
  return `${symbol}-${quote_currency}`;
}

/** Coinbase does not publish since when a product trades. */
function standingOf(body: unknown): TradingStatus {
  const { status, trading_disabled } = fieldsOf(body);
  return { trading: textOf(status) === 'online' && trading_disabled !== true, listed_at: null };
}
