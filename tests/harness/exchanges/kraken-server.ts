import { MINUTE, SECOND } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

export interface KrakenServer extends FaultServer {
  /** By Kraken's short name, such as `XBTUSD`. */
  readonly pairs: Map<string, MadeSeries>;
  /** What the newest 720 are counted in: intervals, with or without trades, or candles that are sent. */
  counts: 'intervals' | 'candles';
}

const INTERVALS = [1, 5, 15, 30, 60, 240, 1_440, 10_080, 21_600];
const DEPTH = 720;

/** The public interface of Kraken, as far as prices need it, in its documented form. */
export async function krakenServer(): Promise<KrakenServer> {
  const pairs = new Map<string, MadeSeries>();
  const settings: Pick<KrakenServer, 'counts'> = { counts: 'intervals' };
  const server = await faultServer(({ pathname, searchParams }) => {
    const pair = searchParams.get('pair') ?? '';
    const series = pairs.get(pair);
    if (!series) return { status: 200, json: { error: ['EQuery:Unknown asset pair'] } };
    return pathname === '/0/public/OHLC' ? candles(pair, series, searchParams, settings.counts) : listed(pair);
  });
  return Object.assign(settings, { ...server, pairs });
}

function listed(pair: string): Answer {
  const entry = { altname: pair, wsname: `${pair.slice(0, 3)}/${pair.slice(3)}`, status: 'online' };
  return { status: 200, json: { error: [], result: { [longName(pair)]: entry } } };
}

/** Whatever `since` says, the newest 720, the last of which is still open. */
function candles(pair: string, series: MadeSeries, query: URLSearchParams, counts: KrakenServer['counts']): Answer {
  const interval = Number(query.get('interval'));
  if (!INTERVALS.includes(interval)) return { status: 200, json: { error: ['EGeneral:Invalid arguments'] } };
  const after = Number(query.get('since') ?? 0) * SECOND;
  const length = interval * MINUTE;
  const oldest = counts === 'candles' ? 0 : (Math.floor(series.now / length) - DEPTH + 1) * length;
  const newest = candlesWithin(series, length, Math.max(after + 1, oldest), series.now + 1).slice(-DEPTH);
  const rows = newest.map(({ start, open, high, low, close, volume }) => [
    start / SECOND,
    ...[open, high, low, close, '100.5', volume],
    42,
  ]);
  const last = (newest.at(-2)?.start ?? 0) / SECOND;
  return { status: 200, json: { error: [], result: { [longName(pair)]: rows, last } } };
}

function longName(pair: string): string {
  return `X${pair.slice(0, 3)}Z${pair.slice(3)}`;
}
