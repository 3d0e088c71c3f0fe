import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type Answer, type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

export interface OkxServer extends FaultServer {
  /** By id, such as `BTC-USDT-SWAP`. */
  readonly instruments: Map<string, OkxInstrument>;
}

export interface OkxInstrument {
  state: string;
  readonly series: MadeSeries;
}

const LENGTHS: Readonly<Record<string, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1H': HOUR, '1Dutc': DAY };
const RECENT = 1_440;
const MOST = 300;

/** The public interface of OKX, version 5, as far as prices need it, in its documented form. */
export async function okxServer(): Promise<OkxServer> {
  const instruments = new Map<string, OkxInstrument>();
  const server = await faultServer(({ pathname, searchParams }) => {
    const id = searchParams.get('instId') ?? '';
    const instrument = instruments.get(id);
    if (!instrument) return NO_INSTRUMENT;
    if (pathname === '/api/v5/market/candles') return candles(instrument.series, searchParams, true);
    if (pathname === '/api/v5/market/history-candles') return candles(instrument.series, searchParams, false);
    return answer([{ instId: id, state: instrument.state, listTime: String(instrument.series.since) }]);
  });
  return { ...server, instruments };
}

/** Newer than `before`, older than `after`, newest first. The recent ones reach 1,440 back, the history has no open one. */
function candles(series: MadeSeries, query: URLSearchParams, recent: boolean): Answer {
  const length = LENGTHS[query.get('bar') ?? ''];
  if (length === undefined) return { status: 200, json: { code: '51000', msg: 'Parameter bar error', data: [] } };
  const [before, after] = [Number(query.get('before') ?? 0), Number(query.get('after') ?? series.now + 1)];
  const oldest = recent ? (Math.floor(series.now / length) - RECENT + 1) * length : 0;
  const inRange = candlesWithin(series, length, Math.max(before + 1, oldest), after);
  const rows = inRange
    .filter(({ start }) => recent || start + length <= series.now)
    .slice(-Math.min(Number(query.get('limit') ?? 100), MOST))
    .map(({ start, open, high, low, close, volume }) => [
      ...[String(start), open, high, low, close, volume, '150.0', '150.0'],
      start + length <= series.now ? '1' : '0',
    ]);
  return answer(rows.reverse());
}

function answer(data: readonly unknown[]): Answer {
  return { status: 200, json: { code: '0', msg: '', data } };
}

const NO_INSTRUMENT: Answer = {
  status: 200,
  json: { code: '51001', msg: "Instrument ID, Instrument ID code, or Spread ID doesn't exist.", data: [] },
};
