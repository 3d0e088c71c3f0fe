import type { Coin } from '../../../domain/circuits/coin.ts';
import type { PegSource, RawPegQuote } from '../../../domain/circuits/peg.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { SECOND } from '../../../domain/time.ts';
import { fieldsOf, listOf, MalformedAnswer, numberOf, textOf, timeOf } from '../candles.ts';
import { onlyPair, resultOf } from '../exchanges/kraken.ts';
import { type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';

/** Beyond a spread of 5 % nobody makes the market, and its last trade may be of any age. */
const WIDEST_SPREAD = 0.05;

/**
 * Two questions at once and one more in 5 s: two a minute are asked, and few again after failures. Kraken allows one a
 * second for each pair, Coinbase 10 a second, Bitstamp 10,000 in 10 minutes, Gemini 120 a minute; the evaluation's own
 * questions to Kraken and Coinbase leave them that much.
 */
const PEG_ALLOWANCE = { perSecond: 0.2, burst: 2 };

/** The exchanges of each coin (settled.md section 9): those on which it trades against the dollar itself. */
export const PEG_EXCHANGES = {
  USDT: ['kraken', 'coinbase', 'bitstamp'],
  USDC: ['kraken', 'bitstamp', 'gemini'],
} as const satisfies Readonly<Record<Coin, readonly string[]>>;

export type PegExchangeName = (typeof PEG_EXCHANGES)[Coin][number];

/** Where each interface is. */
export type PegAddresses = Readonly<Record<PegExchangeName, string>>;

export interface PegSources extends PegSource {
  /** Each exchange on its own, for a check of its replies. */
  readonly exchanges: Readonly<Record<PegExchangeName, PegExchange>>;
  health(): readonly SourceHealth[];
}

/** A minute has time for it, and a late answer moves the look little: the next one must not seem its twin. */
const IN_TIME = 10 * SECOND;

/**
 * The exchanges, each with a client of its own, apart from those of market data, so that neither waits for the other.
 * No request is sent yet.
 */
export function pegSources(addresses: PegAddresses, tools: SourceTools): PegSources {
  const clients: SourceClient[] = [];
  const clientOf = (name: PegExchangeName) => {
    const access = { source: `peg-${name}`, baseUrl: addresses[name], allowance: PEG_ALLOWANCE };
    const client = sourceClient(access, tools);
    clients.push(client);
    return client;
  };
  const exchanges: Readonly<Record<PegExchangeName, PegExchange>> = {
    kraken: krakenPeg(clientOf('kraken')),
    coinbase: coinbasePeg(clientOf('coinbase')),
    bitstamp: bitstampPeg(clientOf('bitstamp')),
    gemini: geminiPeg(clientOf('gemini')),
  };
  return {
    exchanges,
    async quotes(coin) {
      const quotes = PEG_EXCHANGES[coin].map((source) => quoteInTime(source, exchanges[source](coin)));
      return (await Promise.all(quotes)).filter((quote) => quote !== null);
    },
    health: () => clients.map((client) => client.health()),
  };
}

async function quoteInTime(source: string, lastTrade: ReturnType<PegExchange>): Promise<RawPegQuote | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), IN_TIME);
  timer.unref();
  try {
    const trade = await Promise.race([lastTrade, late.promise]);
    return trade && { source, ...trade };
  } catch (error) {
    if (error instanceof SourceUnavailable) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The market of USDC/USD. Its ticker contains no time but that of the volume. */
function geminiPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'GEMINI'),
      path: `/v1/pubticker/${coin.toLowerCase()}usd`,
      read: (body) => {
        const { last, bid, ask } = fieldsOf(body);
        const price = priceOf({ last, bid, ask });
        return price === null ? null : { price, at: null };
      },
    });
}

/** The last trade of USDT-USD, with its time. (USDC-USD is no market of Coinbase's: it changes one for the other.) */
function coinbasePeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'COINBASE'),
      path: `/products/${coin}-USD/ticker`,
      read: (body) => {
        const { price, time } = fieldsOf(body);
        const trade = { price: numberOf(price), at: new Date(timeOf(Date.parse(textOf(time)), 1)) };
        if (Number.isNaN(trade.price)) throw new MalformedAnswer('not a price');
        return trade;
      },
    });
}

/**
 * The market of USDT/USD or USDC/USD. Its time is that of the ticker, so that of the book, and not of the last trade, which
 * may be minutes older.
 */
function bitstampPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'BITSTAMP'),
      path: `/api/v2/ticker/${coin.toLowerCase()}usd/`,
      read: (body) => {
        const { last, bid, ask, timestamp } = fieldsOf(body);
        const at = new Date(timeOf(timestamp, SECOND));
        const price = priceOf({ last, bid, ask });
        return price === null ? null : { price, at };
      },
    });
}

/** The last trade of USDT/USD or USDC/USD. Kraken's ticker contains no time; its trades do, in seconds with a fraction. */
function krakenPeg(client: SourceClient): PegExchange {
  return (coin) =>
    client.ask({
      about: usdPair(coin, 'KRAKEN'),
      path: '/0/public/Trades',
      query: { pair: `${coin}USD`, count: 1 },
      read: (body) => lastTrade(onlyPair(resultOf(body))),
    });
}

/** Oldest first: price, volume, time and more. */
function lastTrade(trades: unknown) {
  const newest = listOf(trades).at(-1);
  if (newest === undefined) return null;
  const [price, , time] = listOf(newest);
  const trade = { price: numberOf(price), at: new Date(timeOf(Math.floor(numberOf(time)), SECOND)) };
  if (Number.isNaN(trade.price)) throw new MalformedAnswer('not a price');
  return trade;
}

/** One exchange's word on a coin in USD; null where it has none. Throws `SourceUnavailable`. */
type PegExchange = (coin: Coin) => Promise<Pick<RawPegQuote, 'price' | 'at'> | null>;

/** The ticker of an exchange for a market, as it was sent. */
interface Ticker {
  readonly last: unknown;
  readonly bid: unknown;
  readonly ask: unknown;
}

/**
 * The last trade, brought within the best bid and the best ask: where trades are rare, the book knows first that a price
 * has gone. null for a book without a price: crossed, too wide, or empty on a side.
 * @throws MalformedAnswer for what is no number at all
 */
function priceOf(ticker: Ticker): number | null {
  const [last, bid, ask] = [ticker.last, ticker.bid, ticker.ask].map(numberOf);
  if (last === undefined || bid === undefined || ask === undefined || Number.isNaN(last + bid + ask))
    throw new MalformedAnswer('not a ticker');
  const made = bid > 0 && last > 0 && ask >= bid && ask - bid <= WIDEST_SPREAD * bid;
  return made ? Math.min(Math.max(last, bid), ask) : null;
}

/** What the question is about, for logs. */
function usdPair(coin: Coin, venue: string): Instrument {
  return { market: 'crypto', symbol: coin, venue, asset_class: 'spot', quote_currency: 'USD' };
}
