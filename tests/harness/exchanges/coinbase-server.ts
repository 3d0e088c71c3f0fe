import { SECOND } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

export interface CoinbaseServer extends FaultServer {
  /** By product, such as `BTC-USD`. */
  readonly products: Map<string, CoinbaseProduct>;
}

export interface CoinbaseProduct {
  status: string;
  readonly series: MadeSeries;
}

const GRANULARITIES = [60, 300, 900, 3_600, 21_600, 86_400];
const MOST = 300;

/** The public interface of Coinbase Exchange, as far as prices need it, in its documented form. */
export async function coinbaseServer(): Promise<CoinbaseServer> {
  const products = new Map<string, CoinbaseProduct>();
  const server = await faultServer(({ pathname, searchParams }) => {
    const [, , id = '', part] = pathname.split('/');
    const product = products.get(id);
    if (!product) return { status: 404, json: { message: 'NotFound' } };
    return part === 'candles' ? candles(product.series, searchParams) : { status: 200, json: shown(id, product) };
  });
  return { ...server, products };
}

function shown(id: string, { status }: CoinbaseProduct) {
  const [base_currency, quote_currency] = id.split('-');
  return { id, base_currency, quote_currency, status, trading_disabled: status !== 'online', status_message: '' };
}

/** Both ends of the window count, and more buckets than 300 are refused. */
function candles(series: MadeSeries, query: URLSearchParams): Answer {
  const granularity = Number(query.get('granularity'));
  const [start, end] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')];
  const length = granularity * SECOND;
  if (!GRANULARITIES.includes(granularity)) return { status: 400, json: { message: 'Unsupported granularity' } };
  if ((end - start) / length >= MOST) return { status: 400, json: { message: 'granularity too small' } };
  const rows = candlesWithin(series, length, start, end + 1).map(({ start: at, low, high, open, close, volume }) => [
    at / SECOND,
    ...[low, high, open, close, volume].map(asNumber),
  ]);
  return { status: 200, json: rows.reverse() };
}

/** Coinbase sends numbers; what is none stays as a test has planted it. */
function asNumber(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
