import { setTimeout as sleep } from 'node:timers/promises';
import { ccxtVenue, loadCcxt } from '../../adapters/market/exchanges/ccxt.ts';
import { type CryptoSources, cryptoSources } from '../../adapters/market/exchanges/crypto-sources.ts';
import { barFiles } from '../../adapters/market/files/bar-files.ts';
import { fits, marketDataRouter, type Route } from '../../adapters/market/market-data-router.ts';
import { namedFiles, namedSource, withListingDates } from '../../adapters/market/named-source.ts';
import { pegSources } from '../../adapters/market/pegs/peg-sources.ts';
import type { Timing } from '../../adapters/market/source-client.ts';
import type { SourceLog } from '../../adapters/market/source-state.ts';
import { type StockSources, stockSources, venuesServedBy } from '../../adapters/market/stocks/stock-sources.ts';
import { cachedMarketData } from '../../application/market/cached-market-data.ts';
import type { PegSource } from '../../domain/circuits/peg.ts';
import type { BarCache } from '../../domain/market/bar-cache.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import { type MarketData, type NamesOf, namesOfSource } from '../../domain/market/market-data.ts';
import { type NameBook, NO_NAMES } from '../../domain/market/name-book.ts';
import type { SourceHealth } from '../../domain/market/source-health.ts';
import { TABLE_VENUES, usVenues } from '../../domain/market/venues.ts';
import { SECOND } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';

/** The prices for this process, and the health of the network's sources. */
export interface MarketSources {
  readonly marketData: MarketData;
  /** The bar files alone. */
  readonly barFiles: MarketData;
  /** Every source that is responsible for the instrument, in order and without the cache; the bar files are the last unless named. */
  sourcesOf(instrument: Instrument): readonly MarketData[];
  /** null if no exchange is configured. */
  readonly pegSource: PegSource | null;
  health(): readonly SourceHealth[];
}

/** Three attempts with the pauses between them take less time than the lease of an evaluation. */
export const REQUEST_DEADLINE = 5 * SECOND;

/** A wall clock that never goes back, in whole milliseconds: sources refuse a fraction in the address of a request. */
export const SYSTEM_TIMING: Timing = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  sleep: (millis) => sleep(millis, undefined, { ref: false }),
  random: Math.random,
};

/**
 * Bar files for everything; with the network, crypto venues and stocks come from the configured sources instead.
 * With a cache their bars are fetched once.
 */
export function openMarketData(
  config: Config['marketData'],
  log: SourceLog,
  timing: Timing = SYSTEM_TIMING,
  cache: BarCache | null = null,
  names: () => NameBook = () => NO_NAMES,
): MarketSources {
  const files = withListingDates(namedFiles(barFiles(config.barsDir), names, timing.now), names);
  if (!config.network)
    return {
      marketData: marketDataRouter([{ source: files }], timing),
      barFiles: files,
      sourcesOf: () => [files],
      pegSource: null,
      health: () => [],
    };
  const tools = { timing, log, deadline: REQUEST_DEADLINE };
  const named = (source: MarketData, way: NamesOf) => namedSource(source, way, names, timing.now);
  const pegs = config.pegs && pegSources(config.pegs, tools);
  const crypto = cryptoSources(config.addresses, tools);
  const stocks = stockSources(config.stockAccess, tools);
  const further = config.ccxtVenues.map((venue) => ({ venue, ...ccxtVenue(venue, tools, loadCcxt) }));
  const unserved = TABLE_VENUES.namesOf('crypto').filter((venue) => !config.crypto[venue]);
  const routes: readonly Route[] = [
    ...cryptoRoutes(config.crypto, crypto, files, (source) => named(source, 'of_date')),
    ...further.flatMap(({ venue, sources }) =>
      sources.map((source): Route => ({ source: named(source, 'of_date'), market: 'crypto', venues: [venue] })),
    ),
    { source: files, market: 'crypto', venues: unserved },
    ...stockRoutes(config.stocks, stocks, files, named),
  ];
  return {
    marketData: withListingDates(
      marketDataRouter(cache ? cached(routes, files, cache, () => names().newest) : routes, timing),
      names,
    ),
    barFiles: files,
    sourcesOf: (instrument) => [
      ...new Set([...routes.filter((route) => fits(route, instrument)).map(({ source }) => source), files]),
    ],
    pegSource: pegs,
    health: () => [
      ...crypto.health(),
      ...stocks.health(),
      ...further.map(({ health }) => health()),
      ...(pegs?.health() ?? []),
    ],
  };
}

/** Files need no cache. A source with several routes remains one source. */
function cached(routes: readonly Route[], files: MarketData, cache: BarCache, newest: () => number): readonly Route[] {
  const distant = new Set(routes.map(({ source }) => source).filter((source) => source !== files));
  const near = new Map([...distant].map((source) => [source, cachedMarketData(source, cache, newest)]));
  return routes.map((route) => ({ ...route, source: near.get(route.source) ?? route.source }));
}

/** The sources of each venue in their order. */
function cryptoRoutes(
  configured: Config['marketData']['crypto'],
  { sources }: CryptoSources,
  files: MarketData,
  named: (source: MarketData) => MarketData,
): readonly Route[] {
  // A source with several routes remains one.
  const ofSource = new Map(Object.values(sources).flatMap((all) => all.map((each) => [each, named(each)] as const)));
  return Object.entries(configured).flatMap(([venue, names]) =>
    names
      .flatMap((name) => (name === 'files' ? [files] : sources[name]))
      .map((source) => ofSource.get(source) ?? source)
      .map((source): Route => ({ source, market: 'crypto', venues: [venue] })),
  );
}

/** The sources in their order. Bar files that are not named are the last for venues outside the United States. */
function stockRoutes(
  names: Config['marketData']['stocks'],
  stocks: StockSources,
  files: MarketData,
  named: (source: MarketData, way: NamesOf) => MarketData,
): readonly Route[] {
  const all = TABLE_VENUES.namesOf('stock');
  const wanted = names.flatMap((name): readonly Route[] =>
    name === 'files'
      ? [{ source: files, market: 'stock', venues: all }]
      : stocks.of([name]).map((source) => ({
          source: named(source, namesOfSource(name)),
          market: 'stock',
          venues: venuesServedBy(name),
        })),
  );
  const others = all.filter((venue) => !usVenues().includes(venue));
  return names.includes('files') ? wanted : [...wanted, { source: files, market: 'stock', venues: others }];
}
