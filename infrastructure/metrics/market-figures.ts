import { Counter, Gauge, type Registry } from 'prom-client';
import type { BarCache } from '../../domain/market/bar-cache.ts';
import { type MarketData, NO_ACTIONS_KNOWN, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';

/** The requests to the sources of prices and the health of the sources, copied at each scrape. */
export function marketFigures(
  registry: Registry,
  sources: () => readonly SourceHealth[],
  { answers, bars }: Pick<MarketTally, 'answers' | 'bars'>,
): void {
  const copied = (name: string, help: string, labelNames: string[], figures: () => readonly Figure[]) =>
    new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels, count } of figures()) this.inc(labels, count);
      },
    });
  const answered = 'Answers of market data by call, source (none: no source answered) and result.';
  copied('stancebook_market_answers_total', answered, ['call', 'source', 'result'], answers);
  const help = 'Bars that were fetched from the network, and bars that came from the cache instead.';
  copied('stancebook_market_bars_total', help, ['source', 'size', 'origin'], bars);
  new Gauge({
    name: 'stancebook_market_source_failures',
    help: 'Failed requests to a market data source since the last one that it answered.',
    labelNames: ['source', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { source, state, failures } of sources()) this.set({ source, state }, failures);
    },
  });
}

/** A count of this process with its labels. */
interface Figure {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/** Counts the requests of this process for market data. */
export interface MarketTally {
  /** The same prices, the answers counted by call, source and result. */
  counted(marketData: MarketData): MarketData;
  /** The same cache, the bars counted that came from it and that were fetched into it. */
  countedCache(cache: BarCache): BarCache;
  answers(): readonly Figure[];
  bars(): readonly Figure[];
}

/** Sources, sizes and a few words are the only labels, so the number of series is bounded. */
export function marketTally(): MarketTally {
  const answers = figures();
  const bars = figures();
  const countedAnswer = async <T>(
    call: string,
    request: Promise<T>,
    sourceOf: (answer: T) => string | null,
  ): Promise<T> => {
    try {
      const answer = await request;
      const source = sourceOf(answer);
      answers.add({ call, source: source ?? 'none', result: source === null ? 'unknown' : 'found' }, 1);
      return answer;
    } catch (error) {
      // The gauge of the sources shows which source failed.
      answers.add({ call, source: 'none', result: error instanceof SourceUnavailable ? 'unavailable' : 'fault' }, 1);
      throw error;
    }
  };
  return {
    counted: (marketData) => ({
      describe: (instrument) =>
        countedAnswer('describe', marketData.describe(instrument), (listing) => listing?.source ?? null),
      coverage: (instrument, at) => marketData.coverage(instrument, at),
      actions: async (instrument, now) => (await marketData.actions?.(instrument, now)) ?? NO_ACTIONS_KNOWN,
      bars: (...args) => countedAnswer('bars', marketData.bars(...args), ({ source }) => source),
    }),
    countedCache: (cache) => ({
      prune: (basis) => cache.prune(basis),
      days: (limit) => cache.days(limit),
      async find(series, from, to) {
        const stretches = await cache.find(series, from, to);
        const { source, size } = series;
        bars.add(
          { source, size, origin: 'cache' },
          stretches.reduce((sum, stretch) => sum + stretch.bars.length, 0),
        );
        return stretches;
      },
      async keep(series, stretch, names) {
        await cache.keep(series, stretch, names);
        bars.add({ source: series.source, size: series.size, origin: 'network' }, stretch.bars.length);
      },
    }),
    answers: answers.all,
    bars: bars.all,
  };
}

function figures() {
  const counts = new Map<string, Figure>();
  return {
    add(labels: Figure['labels'], count: number) {
      const key = JSON.stringify(labels);
      counts.set(key, { labels, count: (counts.get(key)?.count ?? 0) + count });
    },
    all: () => [...counts.values()],
  };
}
