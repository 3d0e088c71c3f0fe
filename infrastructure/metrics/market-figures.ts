import { Counter, Gauge, type Registry } from 'prom-client';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import type { Figure, MarketTally } from './market-tally.ts';

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
