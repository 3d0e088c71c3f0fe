import { cachedMarketData } from '../../../application/market/cached-market-data.ts';
import type { BarCache } from '../../../domain/market/bar-cache.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import type { Millis } from '../../../domain/time.ts';

/** Bar files behind the cache, like a remote source, with every fetch counted. */
export interface CountedPrices {
  readonly marketData: MarketData;
  readonly counts: FetchCounts;
}

export interface FetchCounts {
  /** Fetches of all instruments and sizes. */
  fetches(): number;
  /** How often the most fetched stretch was fetched. */
  mostOfOneStretch(): number;
}

export function countedPrices(name: string, files: MarketData, cache: BarCache): CountedPrices {
  const fetched: Fetch[] = [];
  const marketData: MarketData = {
    async describe(instrument) {
      const listing = await files.describe(instrument);
      return listing && { ...listing, source: name };
    },
    coverage: (instrument, at) => files.coverage(instrument, at),
    async bars(instrument, size, from, to, now) {
      fetched.push({ series: `${size} ${instrumentKey(instrument)}`, from, to });
      return { ...(await files.bars(instrument, size, from, to, now)), source: name };
    },
  };
  return {
    marketData: cachedMarketData(marketData, cache),
    counts: { fetches: () => fetched.length, mostOfOneStretch: () => mostAtOnePoint(fetched) },
  };
}

interface Fetch {
  readonly series: string;
  readonly from: Millis;
  readonly to: Millis;
}

/** The first point of the most fetched stretch is the start of some fetch. */
function mostAtOnePoint(fetched: readonly Fetch[]): number {
  const bySeries = [...Map.groupBy(fetched, ({ series }) => series).values()];
  const counts = bySeries.map((all) =>
    Math.max(...all.map(({ from: at }) => all.filter(({ from, to }) => from <= at && at < to).length)),
  );
  return Math.max(0, ...counts);
}
