import { type BarSize, lengthOf } from '../../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { type MarketData, OutOfReach, SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import type { AssetClass } from '../../../domain/market/venues.ts';
import { HOUR, type Millis } from '../../../domain/time.ts';
import { candlesOf, fieldsOf, MalformedAnswer, timeOf } from '../candles.ts';
import type { SourceTools } from '../source-client.ts';
import { type SourceState, sourceState, withLastError } from '../source-state.ts';
import { type ExchangeApi, exchangeSource, type TradingStatus } from './exchange-source.ts';

/** Exchanges whose id has more letters than the name of a venue may have. */
const IDS: Readonly<Record<string, string>> = { COINBASEINTL: 'coinbaseinternational' };

/** A name that the compiler does not look up: the package is 60 MB, and few need it. */
const PACKAGE: string = 'ccxt';

export interface CcxtVenue {
  /** One per asset class. */
  readonly sources: readonly MarketData[];
  health(): SourceHealth;
}

/** What every exchange behind ccxt gives to one request; more is left out by some without a word. */
const PER_PAGE = 100;

/** New listings are seen after so long. */
const MARKETS_KEPT = HOUR;

/**
 * A crypto exchange through ccxt, whose id is the venue's name in lower case but for those of `IDS`. The library is loaded when a price is first
 * asked for, keeps to the exchange's limits by itself, and asks once: its caller asks again.
 */
export function ccxtVenue(venue: string, tools: SourceTools, load: () => Promise<CcxtLibrary>): CcxtVenue {
  const source = `ccxt-${venue.toLowerCase()}`;
  const state = sourceState(source, tools);
  const connection: Connection = {
    venue,
    source,
    tools,
    state,
    load,
    opened: null,
    markets_at: Number.NEGATIVE_INFINITY,
  };
  const classes: readonly AssetClass[] = ['spot', 'perp'];
  return {
    sources: classes.map((asset_class) => exchangeSource(exchangeOf(connection, asset_class), tools.timing)),
    health: state.health,
  };
}

interface Connection {
  readonly venue: string;
  readonly source: string;
  readonly tools: SourceTools;
  readonly state: SourceState;
  readonly load: () => Promise<CcxtLibrary>;
  opened: Promise<Opened> | null;
  markets_at: Millis;
}

interface Opened {
  readonly library: CcxtLibrary;
  readonly exchange: CcxtExchange;
}

function exchangeOf(connection: Connection, asset_class: AssetClass): ExchangeApi {
  const newest = newestBars(connection.venue, asset_class);
  return {
    source: connection.source,
    asset_class,
    perPage: PER_PAGE,
    tradingStatus: (instrument) =>
      ask(connection, instrument, async (exchange) => statusIn(await markets(connection, exchange), instrument)),
    ...(newest === null ? {} : { reach: (size, at) => newestOf(newest, size, at) }),
    async page(instrument, size, from, to) {
      refuseOlder(connection, asset_class, { instrument, size, from });
      return ask(connection, instrument, async (exchange) => {
        await markets(connection, exchange);
        const rows = await exchange.fetchOHLCV(symbolOf(instrument), TIMEFRAMES[size], from, PER_PAGE, {
          until: to - 1,
        });
        return candlesOf(rows, COLUMNS, 1);
      });
    },
  };
}

/**
 * How many of the newest bars an exchange has, where it has no more. The requests of most of these have no start: ccxt
 * leaves `since` out, and one page of the newest bars comes, whatever was asked for. Of Phemex it is the spot market alone.
 */
const NEWEST_ONLY: Readonly<Record<string, Readonly<Partial<Record<AssetClass, number>>>>> = {
  COINEX: { spot: PER_PAGE, perp: PER_PAGE },
  GEMINI: { spot: PER_PAGE, perp: PER_PAGE },
  HYPERLIQUID: { spot: 5_000, perp: 5_000 },
  P2B: { spot: PER_PAGE, perp: PER_PAGE },
  PHEMEX: { spot: PER_PAGE },
  WEEX: { spot: PER_PAGE, perp: PER_PAGE },
};

function newestBars(venue: string, asset_class: AssetClass): number | null {
  return NEWEST_ONLY[venue]?.[asset_class] ?? null;
}

/** The start of the oldest of the newest bars, the open one included. */
function newestOf(count: number, size: BarSize, at: Millis): Millis {
  return (Math.floor(at / lengthOf(size)) - count + 1) * lengthOf(size);
}

interface Page {
  readonly instrument: Instrument;
  readonly size: BarSize;
  readonly from: Millis;
}

/** A window that begins before the newest bars is refused, so that another source may serve it. @throws OutOfReach */
function refuseOlder(
  { venue, source, tools }: Connection,
  asset_class: AssetClass,
  { instrument, size, from }: Page,
): void {
  const count = newestBars(venue, asset_class);
  if (count === null || from >= newestOf(count, size, tools.timing.now())) return;
  const newest = `${source} has the newest ${count} bars of ${size} only, which begin after this window`;
  throw new OutOfReach(`${newest} (${instrumentKey(instrument)})`);
}

const COLUMNS = { start: 0, open: 1, high: 2, low: 3, close: 4, volume: 5 };
const TIMEFRAMES: Readonly<Record<BarSize, string>> = { '1m': '1m', '5m': '5m', '1h': '1h', '1d': '1d' };

async function ask<T>(
  connection: Connection,
  instrument: Instrument,
  question: (exchange: CcxtExchange) => Promise<T>,
): Promise<T> {
  const { source, state } = connection;
  const { library, exchange } = await open(connection);
  if (!state.admits()) {
    throw new SourceUnavailable(`${source} ${withLastError('is paused after failures', state.health())}`);
  }
  try {
    const answer = await question(exchange);
    state.succeeded();
    return answer;
  } catch (error) {
    const known = error instanceof library.BaseError || error instanceof MalformedAnswer;
    // The library's messages contain addresses and whole answers.
    const code = known ? error.constructor.name : 'internal';
    const reason = `gave no answer: ${code}`;
    state.failed({ reason, code }, instrument);
    if (!known) throw error;
    throw new SourceUnavailable(`${source} ${reason} (${instrumentKey(instrument)})`);
  }
}

/** What cannot be loaded is tried again, so that the package may be installed while the service waits. */
function open(connection: Connection): Promise<Opened> {
  connection.opened ??= opened(connection).catch((error: unknown) => {
    connection.opened = null;
    throw error;
  });
  return connection.opened;
}

async function opened({ venue, load, tools }: Connection): Promise<Opened> {
  const library = await load();
  const id = IDS[venue] ?? venue.toLowerCase();
  const Type = library.exchanges.includes(id) ? library[id] : undefined;
  if (typeof Type !== 'function') throw new SourceUnavailable(`ccxt has no exchange ${id}`);
  const exchange = new (Type as CcxtExchangeType)({ enableRateLimit: true, timeout: tools.deadline });
  if (exchange.has.fetchOHLCV !== true) throw new SourceUnavailable(`ccxt has no bars of ${id}`);
  return { library, exchange };
}

type CcxtExchangeType = new (options: object) => CcxtExchange;

async function markets(connection: Connection, exchange: CcxtExchange): Promise<Readonly<Record<string, unknown>>> {
  const now = connection.tools.timing.now();
  const stale = now - connection.markets_at > MARKETS_KEPT;
  const found = fieldsOf(await exchange.loadMarkets(stale));
  if (stale) connection.markets_at = now;
  return found;
}

function statusIn(found: Readonly<Record<string, unknown>>, instrument: Instrument): TradingStatus | null {
  const sent = found[symbolOf(instrument)];
  if (sent === undefined) return null;
  const { base, quote, spot, swap, linear, active, created } = fieldsOf(sent);
  const kind = instrument.asset_class === 'spot' ? spot === true : swap === true && linear === true;
  if (!kind || base !== instrument.symbol || quote !== instrument.quote_currency) return null;
  return { trading: active !== false, listed_at: typeof created === 'number' ? timeOf(created, 1) : null };
}

/** The library's own names, the same for every exchange. */
function symbolOf({ symbol, quote_currency, asset_class }: Instrument): string {
  const pair = `${symbol}/${quote_currency}`;
  return asset_class === 'spot' ? pair : `${pair}:${quote_currency}`;
}

/** What we use of the package `ccxt`. */
export interface CcxtLibrary {
  /** The ids of the exchanges; under each the library has its class. */
  readonly exchanges: readonly string[];
  /** What all its own errors are. */
  readonly BaseError: new (
    message: string,
  ) => Error;
  readonly [id: string]: unknown;
}

export interface CcxtExchange {
  readonly has: Readonly<Record<string, unknown>>;
  /** Asks the exchange on the first call, or when `reload` is set. */
  loadMarkets(reload: boolean): Promise<unknown>;
  /** Rows `[start, open, high, low, close, volume]`. */
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number, params: object): Promise<unknown>;
}

/** The package `ccxt`, which is not installed with the project. @throws SourceUnavailable saying how to add it */
export async function loadCcxt(name: string = PACKAGE): Promise<CcxtLibrary> {
  try {
    const { default: library } = (await import(name)) as { readonly default: CcxtLibrary };
    return library;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND')) throw error;
    throw new SourceUnavailable('ccxt is not installed: npm install --no-save --ignore-scripts ccxt@4');
  }
}
