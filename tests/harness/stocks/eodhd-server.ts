import { DAY, utcDate } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from '../exchanges/fault-server.ts';
import type { MadeStock } from './made-stock.ts';

export interface EodhdServer extends FaultServer {
  /** By the name there, `VOD.LSE`. */
  readonly stocks: Map<string, MadeStock & { readonly currency: string }>;
  /** Requests that are left of the day. */
  left: number;
  /** Whether the plan has one year alone, which a reply about more says in a row of its own. */
  free: boolean;
}

export const EODHD_KEY = 'canary-key-of-eodhd';

/** Days and lists of exchanges of EODHD as far as prices need them, in their documented form. */
export async function eodhdServer(): Promise<EodhdServer> {
  const stocks: EodhdServer['stocks'] = new Map();
  const settings: Pick<EodhdServer, 'left' | 'free'> = { left: 20, free: true };
  const server = await faultServer(({ pathname, searchParams }) => {
    const opened: EodhdServer = Object.assign(settings, { ...server, stocks });
    if (searchParams.get('api_token') !== EODHD_KEY) return { status: 401, json: { message: 'Unauthenticated' } };
    if (settings.left-- <= 0) return { status: 402, json: { message: 'You exceeded your daily API requests limit.' } };
    const [, exchange] = /^\/exchange-symbol-list\/([A-Z]+)$/.exec(pathname) ?? [];
    if (exchange) return { status: 200, json: listOf(opened, exchange) };
    const stock = stocks.get(decodeURIComponent(pathname.replace('/eod/', '')));
    return stock ? { status: 200, json: rowsOf(stock, searchParams, settings.free) } : NOT_FOUND;
  });
  return Object.assign(settings, { ...server, stocks });
}

function listOf({ stocks }: EodhdServer, exchange: string): object[] {
  return [...stocks]
    .filter(([name]) => name.endsWith(`.${exchange}`))
    .map(([name, { currency }]) => ({
      Code: name.slice(0, name.lastIndexOf('.')),
      ...{ Name: 'A company', Country: 'C', Exchange: exchange, Currency: currency, Type: 'Common Stock', Isin: null },
    }));
}

/** The day that is under way is not there yet. */
function rowsOf({ days, series }: MadeStock, query: URLSearchParams, free: boolean): object[] {
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const [oldest = '', today = ''] = [series.now - 365 * DAY, series.now].map((at) => utcDate(at));
  const rows = days
    .filter(({ date }) => date >= from && date <= to && date < today && (!free || date >= oldest))
    .map(({ adj_close, ...day }) => ({ ...day, adjusted_close: adj_close }));
  const warning = 'Data is limited by one year as you have free subscription';
  return free && from < oldest ? [...rows, { warning }] : rows;
}

const NOT_FOUND: Answer = { status: 404, json: 'Ticker Not Found.' };
