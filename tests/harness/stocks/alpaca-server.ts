import { MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from '../exchanges/fault-server.ts';
import { candlesWithin } from '../exchanges/made-series.ts';
import { type MadeStock, midnightOf } from './made-stock.ts';

export interface AlpacaServer extends FaultServer {
  readonly stocks: Map<string, MadeStock>;
  /** Rows that a page holds at most, whatever limit is asked for. */
  perPage: number;
}

export const KEYS = { key: 'AKTESTKEY0001', secret: 'canary-secret-of-the-test' };

const LENGTHS: Readonly<Record<string, Millis>> = { '1Min': MINUTE, '5Min': 5 * MINUTE, '30Min': 30 * MINUTE };

/** The historical stock data of Alpaca as far as prices need them, in their documented form. */
export async function alpacaServer(): Promise<AlpacaServer> {
  const stocks = new Map<string, MadeStock>();
  const settings = { perPage: 10_000 };
  const server = await faultServer(({ pathname, searchParams }, headers) => {
    if (headers['apca-api-key-id'] !== KEYS.key || headers['apca-api-secret-key'] !== KEYS.secret) return FORBIDDEN;
    const symbol = /^\/v2\/stocks\/([^/]+)\/bars$/.exec(pathname)?.[1];
    if (symbol?.includes('!')) return { status: 400, json: { message: `invalid symbol: ${symbol}` } };
    if (symbol) return bars(symbol, stocks.get(decodeURIComponent(symbol)), searchParams, settings.perPage);
    if (pathname === '/v1/corporate-actions')
      return actions(stocks.get(searchParams.get('symbols') ?? ''), searchParams);
    return { status: 404, json: { message: 'endpoint not found.' } };
  });
  return Object.assign(settings, { ...server, stocks });
}

function bars(symbol: string, stock: MadeStock | undefined, query: URLSearchParams, perPage: number): Answer {
  if (!stock) return { status: 200, json: { bars: null, symbol, next_page_token: null } };
  const from = Date.parse(query.get('start') ?? '');
  const to = Date.parse(query.get('end') ?? '') + 1;
  if (query.get('feed') === 'sip' && to > stock.series.now - 15 * MINUTE) return TOO_RECENT;
  const rows = query.get('timeframe') === '1Day' ? days(stock, query, from, to) : minutes(stock, query, from, to);
  const first = Number(atob(query.get('page_token') ?? '') || 0);
  const next = first + Math.min(perPage, Number(query.get('limit')));
  const next_page_token = next < rows.length ? btoa(String(next)) : null;
  return { status: 200, json: { bars: rows.slice(first, next), symbol, next_page_token } };
}

function days({ days, series }: MadeStock, query: URLSearchParams, from: Millis, to: Millis): object[] {
  const factor = (close: number, adjusted: number) => (query.get('adjustment') === 'all' ? adjusted / close : 1);
  return days
    .map((day) => ({ ...day, start: midnightOf(day.date), by: factor(day.close, day.adj_close) }))
    .filter(({ start }) => start >= from && start < to && start <= series.now)
    .map(({ start, open, high, low, close, volume, by }) => ({
      t: zulu(start),
      o: open * by,
      h: high * by,
      l: low * by,
      c: by === 1 ? close : Number((close * by).toFixed(4)),
      v: volume,
      n: 12,
      vw: close,
    }));
}

function minutes({ series }: MadeStock, query: URLSearchParams, from: Millis, to: Millis): object[] {
  return candlesWithin(series, LENGTHS[query.get('timeframe') ?? ''] ?? Number.NaN, from, to).map((candle) => ({
    t: zulu(candle.start),
    o: number(candle.open),
    h: number(candle.high),
    l: number(candle.low),
    c: number(candle.close),
    v: number(candle.volume),
    n: 3,
    vw: 1,
  }));
}

function actions(stock: MadeStock | undefined, query: URLSearchParams): Answer {
  const isRequested = ({ ex_date }: { readonly ex_date: string }) =>
    ex_date >= (query.get('start') ?? '') && ex_date <= (query.get('end') ?? '');
  const rows = (stock?.splits ?? []).filter(isRequested).map(({ ex_date, to, from }) => ({
    ex_date,
    new_rate: to,
    old_rate: from,
    process_date: ex_date,
    record_date: ex_date,
    symbol: query.get('symbols'),
  }));
  const corporate_actions = {
    ...group(
      'forward_splits',
      rows.filter(({ new_rate, old_rate }) => new_rate > old_rate),
    ),
    ...group(
      'reverse_splits',
      rows.filter(({ new_rate, old_rate }) => new_rate < old_rate),
    ),
  };
  return { status: 200, json: { corporate_actions, next_page_token: null } };
}

/** Kinds without a row are left out of the answer. */
function group(name: string, rows: readonly object[]): object {
  return rows.length > 0 ? { [name]: rows } : {};
}

/** A price that is no number stays what it is. */
function number(text: string): number | string {
  return Number.isNaN(Number(text)) || text === '' ? text : Number(text);
}

function zulu(at: Millis): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

const FORBIDDEN: Answer = { status: 403, json: { message: 'forbidden.' } };
const TOO_RECENT: Answer = {
  status: 403,
  json: { message: 'subscription does not permit querying recent SIP data' },
};
