import type { BarSize } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { AssetClass } from '../../../domain/market/venues.ts';
import { AskedTooOften, candlesOf, type Fields, fieldsOf, listOf, MalformedAnswer, timeOf } from '../candles.ts';
import type { SourceClient } from '../source-client.ts';
import type { ExchangeApi, TradingStatus } from './exchange-source.ts';

/** A tenth of the 600 requests in five seconds that one address may send; an address that sends more is refused for minutes. */
export const BYBIT_ALLOWANCE = { perSecond: 12, burst: 24 };

/** Spot pairs, or linear perpetual contracts at the last trade's price. Candles begin on UTC time and come newest first. */
export function bybit(client: SourceClient, asset_class: AssetClass): ExchangeApi {
  const category = asset_class === 'spot' ? 'spot' : 'linear';
  const perPage = 1_000;
  return {
    source: client.source,
    asset_class,
    perPage,
    tradingStatus: (instrument) =>
      client.ask({
        about: instrument,
        path: '/v5/market/instruments-info',
        query: { category, symbol: symbolOf(instrument) },
        read: (body) => (isUnlistedContract(body, category) ? null : statusOf(body, instrument)),
      }),
    page: (instrument, size, from, to) =>
      client.ask({
        about: instrument,
        path: '/v5/market/kline',
        query: {
          category,
          symbol: symbolOf(instrument),
          interval: INTERVALS[size],
          start: from,
          end: to - 1,
          limit: perPage,
        },
        read: (body) => candlesOf(resultOf(body).list, COLUMNS, 1),
      }),
  };
}

const COLUMNS = { start: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };
const INTERVALS: Readonly<Record<BarSize, string>> = { '1m': '1', '5m': '5', '1h': '60', '1d': 'D' };

const PARAMETER_ERROR = 10_001;
const TOO_MANY_VISITS = 10_006;

/** Perpetuals in USDC are named `BTCPERP`. */
function symbolOf({ symbol, quote_currency, asset_class }: Instrument): string {
  if (asset_class === 'perp' && quote_currency === 'USDC') return `${symbol}PERP`;
  return `${symbol}${quote_currency}`;
}

/**
 * Bybit answers an unknown contract with its general parameter error, whose message says that the symbol is invalid, and
 * an unknown spot pair with an empty list. Any other parameter error proves nothing about the instrument.
 */
function isUnlistedContract(body: unknown, category: string): boolean {
  const { retCode, retMsg } = fieldsOf(body);
  return category === 'linear' && retCode === PARAMETER_ERROR && /^params error: symbol invalid$/i.test(String(retMsg));
}

function statusOf(body: unknown, { symbol, quote_currency }: Instrument): TradingStatus | null {
  const listed = listOf(resultOf(body).list)
    .map(fieldsOf)
    .find(({ baseCoin, quoteCoin }) => baseCoin === symbol && quoteCoin === quote_currency);
  if (!listed || listed.status === 'PreLaunch') return null;
  // Spot pairs have no launch time.
  const listed_at = listed.launchTime === undefined ? null : timeOf(listed.launchTime, 1);
  return { trading: listed.status === 'Trading', listed_at };
}

/** Errors come with status 200. */
function resultOf(body: unknown): Fields {
  const { retCode, result } = fieldsOf(body);
  if (retCode === TOO_MANY_VISITS) throw new AskedTooOften(`error ${retCode}`);
  if (retCode !== 0) throw new MalformedAnswer(`error ${retCode}`);
  return fieldsOf(result);
}
