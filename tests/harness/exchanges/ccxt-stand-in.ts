import type { CcxtExchange, CcxtLibrary } from '../../../adapters/market/exchanges/ccxt.ts';
import { DAY, HOUR, MINUTE, type Millis } from '../../../domain/time.ts';
import { type FaultServer, faultServer } from './fault-server.ts';
import { candlesWithin, type MadeSeries } from './made-series.ts';

/** An exchange as ccxt shows it: unified markets by unified symbol, candles of at most 100. */
export interface UnifiedServer extends FaultServer {
  readonly markets: Map<string, Readonly<Record<string, unknown>>>;
  readonly series: MadeSeries;
}

const LENGTHS: Readonly<Record<string, Millis>> = { '1m': MINUTE, '5m': 5 * MINUTE, '1h': HOUR, '1d': DAY };

export async function unifiedServer(series: MadeSeries): Promise<UnifiedServer> {
  const markets = new Map<string, Readonly<Record<string, unknown>>>();
  const server = await faultServer(({ pathname, searchParams }) => {
    if (pathname === '/markets') return { status: 200, json: Object.fromEntries(markets) };
    const [since, until] = ['since', 'until'].map((name) => Number(searchParams.get(name)));
    const length = LENGTHS[searchParams.get('timeframe') ?? ''] ?? Number.NaN;
    const rows = candlesWithin(series, length, since ?? 0, (until ?? 0) + 1).slice(0, 100);
    const numbers = rows.map(({ start, open, high, low, close, volume }) => [
      start,
      ...[open, high, low, close, volume].map(Number),
    ]);
    return { status: 200, json: numbers };
  });
  return { ...server, markets, series };
}

class StandInError extends Error {}
class ExchangeNotAvailable extends StandInError {}

/**
 * The shape of ccxt over such a server, since the package itself is not installed: an exchange `gate`, whose failures
 * are the library's own errors, and one `nobars` without bars.
 */
export function standInLibrary(server: UnifiedServer): CcxtLibrary {
  const answer = async (path: string) => {
    const reply = await fetch(`${server.url}${path}`).catch(() => null);
    if (!reply?.ok) throw new ExchangeNotAvailable(`gate GET ${server.url}${path}`);
    return reply.json();
  };
  class Gate implements CcxtExchange {
    readonly has = { fetchOHLCV: true };
    #markets: Promise<unknown> | null = null;
    loadMarkets(reload: boolean): Promise<unknown> {
      if (reload || this.#markets === null) this.#markets = answer('/markets');
      return this.#markets;
    }
    fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number, params: object): Promise<unknown> {
      const query = { symbol, timeframe, since: `${since}`, limit: `${limit}`, ...params };
      return answer(`/candles?${new URLSearchParams(query)}`);
    }
  }
  class NoBars extends Gate {
    override readonly has = { fetchOHLCV: false } as never;
  }
  return { exchanges: ['gate', 'nobars'], BaseError: StandInError, gate: Gate, nobars: NoBars };
}
