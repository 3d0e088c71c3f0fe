import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

export interface BinanceServer extends FaultServer {
  /** By symbol, such as `BTCUSDT`. */
  readonly pairs: Map<string, BinancePair>;
}

export interface BinancePair {
  readonly base: string;
  readonly quote: string;
  status: string;
  readonly series: MadeSeries;
}

const LENGTHS: Readonly<Record<string, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

/** The public spot and futures interfaces of Binance, as far as prices need them, in their documented form. */
export async function binanceServer(): Promise<BinanceServer> {
  const pairs = new Map<string, BinancePair>();
  const server = await faultServer((address) => {
    const { pathname, searchParams } = address;
    if (pathname === '/api/v3/exchangeInfo') return spotInfo(pairs, searchParams.get('symbol') ?? '');
    if (pathname === '/fapi/v1/exchangeInfo') return futuresInfo(pairs);
    if (pathname === '/api/v3/klines') return klines(pairs, searchParams, 1_000);
    if (pathname === '/fapi/v1/klines') return klines(pairs, searchParams, 1_500);
    return { status: 404, json: {} };
  });
  return { ...server, pairs };
}

function spotInfo(pairs: ReadonlyMap<string, BinancePair>, symbol: string): Answer {
  const pair = pairs.get(symbol);
  if (!pair) return INVALID_SYMBOL;
  const listed = { symbol, status: pair.status, baseAsset: pair.base, quoteAsset: pair.quote };
  return { status: 200, json: { timezone: 'UTC', serverTime: pair.series.now, symbols: [listed] } };
}

function futuresInfo(pairs: ReadonlyMap<string, BinancePair>): Answer {
  const symbols = [...pairs].map(([symbol, { base, quote, status, series }]) => ({
    symbol,
    pair: symbol,
    contractType: 'PERPETUAL',
    deliveryDate: 4133404800000,
    onboardDate: series.since,
    status,
    baseAsset: base,
    quoteAsset: quote,
  }));
  return { status: 200, json: { timezone: 'UTC', symbols } };
}

function klines(pairs: ReadonlyMap<string, BinancePair>, query: URLSearchParams, most: number): Answer {
  const pair = pairs.get(query.get('symbol') ?? '');
  const length = LENGTHS[query.get('interval') ?? ''];
  if (!pair || length === undefined) return INVALID_SYMBOL;
  const limit = Math.min(Number(query.get('limit') ?? 500), most);
  const end = Number(query.get('endTime') ?? pair.series.now) + 1;
  const candles = candlesWithin(pair.series, length, Number(query.get('startTime') ?? 0), end);
  const rows = candles
    .slice(0, limit)
    .map(({ start, open, high, low, close, volume }) => [
      start,
      open,
      high,
      low,
      close,
      volume,
      start + length - 1,
      '150.0',
      12,
      '0.7',
      '70.0',
      '0',
    ]);
  return { status: 200, json: rows };
}

const INVALID_SYMBOL: Answer = { status: 400, json: { code: -1121, msg: 'Invalid symbol.' } };
