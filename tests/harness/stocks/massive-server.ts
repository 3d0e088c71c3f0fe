import { DAY, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from '../exchanges/fault-server.ts';
import { candlesWithin } from '../exchanges/made-series.ts';
import { type MadeStock, midnightOf } from './made-stock.ts';

export interface MassiveServer extends FaultServer {
  readonly stocks: Map<string, MadeStock>;
  /** Rows that a page holds at most, whatever limit is asked for. */
  perPage: number;
  /** Where the next page is said to be; its own address where this is null. */
  elsewhere: string | null;
  /** Rows that are missing at the end of every page but the last. */
  missingAtEnd: number;
}

export const KEY = 'canary-massive-key-of-the-test';

const LENGTHS: Readonly<Record<string, Millis>> = {
  '1/minute': MINUTE,
  '5/minute': 5 * MINUTE,
  '30/minute': 30 * MINUTE,
};

/** The stock interface of Massive as far as prices need it, in its documented form. */
export async function massiveServer(): Promise<MassiveServer> {
  const stocks = new Map<string, MadeStock>();
  const settings: Pick<MassiveServer, 'perPage' | 'elsewhere' | 'missingAtEnd'> = {
    perPage: 50_000,
    elsewhere: null,
    missingAtEnd: 0,
  };
  const server = await faultServer((address, headers) => {
    if (headers.authorization !== `Bearer ${KEY}`) return UNKNOWN_KEY;
    const next = (at: number) => nextUrl(settings.elsewhere ?? server.url, address, at);
    const [, ticker = '', range = '', from, to] = AGGREGATES.exec(address.pathname) ?? [];
    const stock = stocks.get(decodeURIComponent(ticker) || (address.searchParams.get('ticker') ?? ''));
    if (ticker) return paged(address, aggregates(stock, range, baseRange(address, from, to)), settings, next);
    if (address.pathname === '/stocks/v1/splits') return paged(address, splits(stock), settings, next);
    if (address.pathname === '/stocks/v1/dividends') return paged(address, dividends(stock), settings, next);
    return { status: 404, json: { status: 'NOT_FOUND', request_id: 'r' } };
  });
  return Object.assign(settings, { ...server, stocks });
}

const AGGREGATES = /^\/v2\/aggs\/ticker\/([^/]+)\/range\/(\d+\/\w+)\/(\d+)\/(\d+)$/;

interface BaseRange {
  readonly from: Millis;
  readonly to: Millis;
}

/** The limit counts base minutes or days, whatever the length of a bar: those beyond it are missing without a word. */
function baseRange({ pathname, searchParams }: URL, from: string | undefined, to: string | undefined): BaseRange {
  const limit = Number(searchParams.get('limit'));
  const base = pathname.includes('/day/') ? DAY : MINUTE;
  return { from: Number(from), to: Math.min(Number(to), Number(from) + limit * base) };
}

function aggregates(stock: MadeStock | undefined, range: string, { from, to }: BaseRange): object[] {
  if (!stock) return [];
  if (range === '1/day') {
    return stock.days
      .map((day) => ({ ...day, start: midnightOf(day.date) }))
      .filter(({ start }) => start >= from && start <= to && start <= stock.series.now)
      .map(({ start, open, high, low, close, volume }) => ({
        t: start,
        o: open,
        h: high,
        l: low,
        c: close,
        v: volume,
      }));
  }
  return candlesWithin(stock.series, LENGTHS[range] ?? Number.NaN, from, to + 1).map((candle) => ({
    v: Number(candle.volume),
    vw: 1,
    o: number(candle.open),
    c: number(candle.close),
    h: number(candle.high),
    l: number(candle.low),
    t: candle.start,
    n: 3,
  }));
}

function splits(stock: MadeStock | undefined): object[] {
  return (stock?.splits ?? []).map(({ ex_date, to, from }) => ({
    adjustment_type: to > from ? 'forward_split' : 'reverse_split',
    execution_date: ex_date,
    historical_adjustment_factor: from / to,
    id: 'E1',
    split_from: from,
    split_to: to,
    ticker: 'T',
  }));
}

function dividends(stock: MadeStock | undefined): object[] {
  return (stock?.dividends ?? []).map(({ ex_date, amount }) => ({
    cash_amount: amount,
    currency: 'USD',
    distribution_type: 'recurring',
    ex_dividend_date: ex_date,
    frequency: 4,
    id: 'E2',
    ticker: 'T',
  }));
}

type PageSettings = Pick<MassiveServer, 'perPage' | 'missingAtEnd'>;

/** `results` is left out where there are none. */
function paged(
  address: URL,
  rows: readonly object[],
  { perPage, missingAtEnd }: PageSettings,
  next: (at: number) => string,
): Answer {
  const first = Number(address.searchParams.get('cursor') ?? 0);
  const end = first + perPage;
  const results = rows.slice(first, end < rows.length ? end - missingAtEnd : end);
  return {
    status: 200,
    json: {
      status: 'OK',
      request_id: 'r',
      ...(results.length > 0 ? { results, resultsCount: results.length } : { resultsCount: 0 }),
      ...(end < rows.length ? { next_url: next(end) } : {}),
    },
  };
}

/** Without the key, which goes along in a header. */
function nextUrl(base: string, { pathname, searchParams }: URL, at: number): string {
  const query = new URLSearchParams([...searchParams].filter(([name]) => name !== 'cursor'));
  query.set('cursor', String(at));
  return `${base}${pathname}?${query}`;
}

/** A price that is no number stays what it is. */
function number(text: string): number | string {
  return Number.isNaN(Number(text)) || text === '' ? text : Number(text);
}

const UNKNOWN_KEY: Answer = { status: 401, json: { status: 'ERROR', request_id: 'r', error: 'Unknown API Key' } };
