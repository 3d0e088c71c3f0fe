import { barFiles } from '../adapters/market/files/bar-files.ts';
import { instrumentsIn } from '../adapters/market/files/bar-folder.ts';
import { type StockSource, venuesServedBy } from '../adapters/market/stocks/stock-sources.ts';
import type { Instrument } from '../domain/market/instrument.ts';
import { usVenues } from '../domain/market/venues.ts';
import { type Millis, utcDate } from '../domain/time.ts';
import type { Config } from './config/config.ts';

type MarketConfig = Config['marketData'];

/**
 * One line for each market: the live sources that serve it, the end of its bar files, and what the operator sets if no
 * live source serves it. No request is sent.
 */
export async function marketLines(config: MarketConfig): Promise<readonly string[]> {
  const histories = await historiesIn(config.barsDir);
  return marketsOf(config).map(({ name, live, advice, isOf }) => {
    const history = historyText(histories.filter(({ instrument }) => isOf(instrument)));
    return live.length > 0
      ? `${name}: live from ${live.join(', ')}; ${history}`
      : `${name}: ${history}, no live source; ${advice}`;
  });
}

interface ServedMarket {
  readonly name: string;
  /** The live sources. */
  readonly live: readonly string[];
  readonly advice: string;
  isOf(instrument: Instrument): boolean;
}

function marketsOf(config: MarketConfig): readonly ServedMarket[] {
  const { network } = config;
  const live = liveStocks(config);
  const inUs = (venue: string) => usVenues().includes(venue);
  const stocks = live.filter((name) => venuesServedBy(name).some(inUs));
  const elsewhere = live.filter((name) => !venuesServedBy(name).every(inUs));
  const onNetwork = network ? [] : ['MARKET_DATA_NETWORK=true'];
  const isUs = ({ market, venue }: Instrument) => market === 'stock' && usVenues().includes(venue);
  return [
    {
      name: 'US stocks',
      live: network ? stocks : [],
      advice: `set ${[...onNetwork, ...(stocks.length > 0 ? [] : ['MARKET_DATA_STOCKS'])].join(' and ')}`,
      isOf: isUs,
    },
    {
      name: 'Stocks of other venues',
      live: network ? elsewhere : [],
      advice: `set ${[...onNetwork, ...(elsewhere.length > 0 ? [] : ['MARKET_DATA_STOCKS'])].join(' and ')}, or load bars with npm run admin -- import-bars`,
      isOf: (instrument) => instrument.market === 'stock' && !isUs(instrument),
    },
    {
      name: 'Crypto',
      live: network ? liveVenues(config) : [],
      advice: `set ${network ? 'MARKET_DATA_CRYPTO' : onNetwork.join()}`,
      isOf: ({ market }) => market === 'crypto',
    },
  ];
}

/** The configured ones that there is access to. */
function liveStocks({ stocks, stockAccess }: MarketConfig): readonly StockSource[] {
  return stocks.filter((name): name is StockSource => name !== 'files' && stockAccess[name] !== null);
}

/** The venues, each with its sources if they are not the exchange itself. */
function liveVenues({ crypto, ccxtVenues }: MarketConfig): readonly string[] {
  const configured = Object.entries(crypto).flatMap(([venue, names]) => {
    const live = names.filter((name) => name !== 'files');
    if (live.length === 0) return [];
    return live.join() === venue.toLowerCase() ? [venue] : [`${live.join(' or ')} for ${venue}`];
  });
  return [...configured, ...ccxtVenues.map((venue) => `${venue} through ccxt`)];
}

interface History {
  readonly instrument: Instrument;
  /** The end of its newest bar; Infinity where its manifest does not say. */
  readonly until: Millis;
}

async function historiesIn(barsDir: string): Promise<readonly History[]> {
  const files = barFiles(barsDir);
  const instruments = await instrumentsIn(barsDir);
  const covered = await Promise.all(instruments.map((instrument) => files.coverage(instrument, Date.now())));
  return covered.flatMap((sources, i) => {
    const instrument = instruments[i];
    const ends = sources.flatMap(({ spans }) => Object.values(spans).map(({ to }) => to));
    return instrument ? [{ instrument, until: Math.max(...ends) }] : [];
  });
}

function byEndThenSymbol(a: History, b: History): number {
  return a.until === b.until ? a.instrument.symbol.localeCompare(b.instrument.symbol) : a.until - b.until;
}

/** More instruments than this are counted instead of named. */
const MOST_NAMED = 6;

function historyText(histories: readonly History[]): string {
  if (histories.length === 0) return 'no bar files';
  if (histories.length > MOST_NAMED) {
    const newest = Math.max(...histories.map(({ until }) => until));
    return `bar files of ${histories.length} instruments ${untilText(newest)} at the latest`;
  }
  const byEnd = Map.groupBy(histories.toSorted(byEndThenSymbol), ({ until }) => untilText(until));
  const parts = [...byEnd].map(([end, all]) => `${end} (${all.map(({ instrument }) => instrument.symbol).join(', ')})`);
  return `bar files ${parts.join(' and ')}`;
}

/** A bar that ends at midnight is one of the day before. */
function untilText(until: Millis): string {
  return Number.isFinite(until) ? `until ${utcDate(until - 1)}` : 'without a stated end';
}
