import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

export interface BybitServer extends FaultServer {
  /** By category and symbol, such as `linear BTCUSDT`. */
  readonly symbols: Map<string, BybitSymbol>;
}

export interface BybitSymbol {
  readonly base: string;
  readonly quote: string;
  status: string;
  readonly series: MadeSeries;
}

const LENGTHS: Readonly<Record<string, Millis>> = { '1': MINUTE, '5': 5 * MINUTE, '60': HOUR, D: DAY };

/** The public interface of Bybit, version 5, as far as prices need it, in its documented form; the reply to an unknown symbol as measured in 2026. */
export async function bybitServer(): Promise<BybitServer> {
  const symbols = new Map<string, BybitSymbol>();
  const server = await faultServer(({ pathname, searchParams }) => {
    const category = searchParams.get('category') ?? '';
    const symbol = searchParams.get('symbol') ?? '';
    const listed = symbols.get(`${category} ${symbol}`);
    if (pathname === '/v5/market/kline') return listed ? klines(listed.series, searchParams) : BAD_SYMBOL;
    if (!listed && category === 'linear') return BAD_SYMBOL;
    return answer({ category, list: listed ? [shown(category, symbol, listed)] : [] });
  });
  return { ...server, symbols };
}

function shown(category: string, symbol: string, { base, quote, status, series }: BybitSymbol) {
  const common = { symbol, baseCoin: base, quoteCoin: quote, status };
  if (category === 'spot') return common;
  return { ...common, contractType: 'LinearPerpetual', launchTime: String(series.since), deliveryTime: '0' };
}

/** Within [start, end], the newest first and at most as many as the limit. */
function klines(series: MadeSeries, query: URLSearchParams): Answer {
  const length = LENGTHS[query.get('interval') ?? ''];
  if (length === undefined) return BAD_SYMBOL;
  const limit = Math.min(Number(query.get('limit') ?? 200), 1_000);
  const candles = candlesWithin(series, length, Number(query.get('start')), Number(query.get('end')) + 1);
  const list = candles
    .slice(-limit)
    .map(({ start, open, high, low, close, volume }) => [String(start), open, high, low, close, volume, '150.0']);
  return answer({ list: list.reverse() });
}

function answer(result: object): Answer {
  return { status: 200, json: { retCode: 0, retMsg: 'OK', result, retExtInfo: {}, time: 0 } };
}

const BAD_SYMBOL: Answer = {
  status: 200,
  json: {
    retCode: 10_001,
    retMsg: 'params error: symbol invalid',
    result: { category: '', list: [], nextPageCursor: '' },
  },
};
