import type { Coin } from '../../../domain/circuits/coin.ts';
import type { RawPegQuote } from '../../../domain/circuits/peg.ts';
import type { PegSource } from '../../../domain/circuits/peg-source.ts';
import { SourceUnavailable } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { SECOND } from '../../../domain/time.ts';
import { type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';
import { bitstampPeg } from './bitstamp-peg.ts';
import { coinbasePeg } from './coinbase-peg.ts';
import { geminiPeg } from './gemini-peg.ts';
import { krakenPeg } from './kraken-peg.ts';
import { PEG_ALLOWANCE, type PegExchange } from './peg-exchange.ts';

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
