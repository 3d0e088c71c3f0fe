import { join, resolve } from 'node:path';
import type { CryptoAddresses, CryptoSource } from '../../adapters/market/exchanges/crypto-sources.ts';
import type { PegAddresses } from '../../adapters/market/pegs/peg-sources.ts';
import type { StockAccess, StockSource } from '../../adapters/market/stocks/stock-sources.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { Environment } from './environment.ts';

/** Where prices come from. */
export interface MarketDataConfig {
  readonly barsDir: string;
  /** Whether market data sources on the network are used. */
  readonly network: boolean;
  /** By crypto venue, in the order of use. */
  readonly crypto: Readonly<Record<string, readonly (CryptoSource | 'files')[]>>;
  readonly addresses: CryptoAddresses;
  /** Crypto venues in addition to those of the table, served by ccxt. */
  readonly ccxtVenues: readonly string[];
  /** Sources of stocks, in the order of use. */
  readonly stocks: readonly (StockSource | 'files')[];
  readonly stockAccess: StockAccess;
  /** The exchanges for prices of stablecoins; null: none. */
  readonly pegs: PegAddresses | null;
  /** Folder of the files of US listings, without a closing slash. */
  readonly symbolsUrl: string;
  /** Whether the licences of the sources let everybody have their bars. */
  readonly redistribute: boolean;
  /** Preferred to the usual references of venues. */
  readonly references: readonly Instrument[];
}

export function marketDataOf(env: Environment, dataDir: string): MarketDataConfig {
  return {
    barsDir: resolve(env.MARKET_DATA_BARS_DIR ?? join(dataDir, 'bars')),
    network: env.MARKET_DATA_NETWORK,
    crypto: env.MARKET_DATA_CRYPTO,
    addresses: addressesOf(env),
    ccxtVenues: env.MARKET_DATA_CCXT_VENUES ?? [],
    stocks: env.MARKET_DATA_STOCKS,
    stockAccess: stockAccessOf(env),
    pegs: pegAddressesOf(env),
    symbolsUrl: env.MARKET_DATA_SYMBOLS_URL,
    redistribute: env.MARKET_DATA_REDISTRIBUTE === 'on',
    references: env.MARKET_REFERENCE ?? [],
  };
}

function addressesOf(env: Environment): CryptoAddresses {
  return {
    binance: env.MARKET_DATA_BINANCE_URL,
    'binance-futures': env.MARKET_DATA_BINANCE_FUTURES_URL,
    coinbase: env.MARKET_DATA_COINBASE_URL,
    kraken: env.MARKET_DATA_KRAKEN_URL,
    bybit: env.MARKET_DATA_BYBIT_URL,
    okx: env.MARKET_DATA_OKX_URL,
  };
}

function pegAddressesOf(env: Environment): PegAddresses | null {
  if (!env.MARKET_DATA_NETWORK || !env.CIRCUIT_MONITOR) return null;
  return {
    kraken: env.MARKET_DATA_KRAKEN_URL,
    coinbase: env.MARKET_DATA_COINBASE_URL,
    bitstamp: env.CIRCUIT_BITSTAMP_URL,
    gemini: env.CIRCUIT_GEMINI_URL,
  };
}

function stockAccessOf(env: Environment): StockAccess {
  const { MARKET_DATA_ALPACA_KEY: key, MARKET_DATA_ALPACA_SECRET: secret } = env;
  const { MARKET_DATA_MASSIVE_KEY: massiveKey, MARKET_DATA_EODHD_KEY: eodhdKey } = env;
  return {
    alpaca:
      key && secret
        ? {
            url: env.MARKET_DATA_ALPACA_URL,
            key,
            secret,
            feed: env.MARKET_DATA_ALPACA_FEED,
            perMinute: env.MARKET_DATA_ALPACA_PER_MINUTE,
          }
        : null,
    massive: massiveKey
      ? {
          url: env.MARKET_DATA_MASSIVE_URL,
          key: massiveKey,
          years: env.MARKET_DATA_MASSIVE_YEARS,
          perMinute: env.MARKET_DATA_MASSIVE_PER_MINUTE,
        }
      : null,
    yahoo: { url: env.MARKET_DATA_YAHOO_URL },
    eodhd: eodhdKey
      ? {
          url: env.MARKET_DATA_EODHD_URL,
          key: eodhdKey,
          years: env.MARKET_DATA_EODHD_YEARS,
          perDay: env.MARKET_DATA_EODHD_PER_DAY,
        }
      : null,
  };
}
