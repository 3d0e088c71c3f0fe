import type { MarketData } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import type { Allowance } from '../pace.ts';
import { type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';
import { BINANCE_ALLOWANCE, BINANCE_FUTURES_ALLOWANCE, binance, binanceFutures } from './binance.ts';
import { BYBIT_ALLOWANCE, bybit } from './bybit.ts';
import { COINBASE_ALLOWANCE, coinbase } from './coinbase.ts';
import { type ExchangeApi, exchangeSource } from './exchange-source.ts';
import { KRAKEN_ALLOWANCE, kraken } from './kraken.ts';
import { OKX_ALLOWANCE, okx } from './okx.ts';

/** The exchanges that can be asked, by the names that configuration and outcomes use. */
export const CRYPTO_SOURCES = ['binance', 'coinbase', 'kraken', 'bybit', 'okx'] as const;
export type CryptoSource = (typeof CRYPTO_SOURCES)[number];

/** Where each interface is. Binance has its futures elsewhere than its spot market. */
export type CryptoAddresses = Readonly<Record<CryptoSource | 'binance-futures', string>>;

export interface CryptoSources {
  /** One per asset class where an exchange has both. */
  readonly sources: Readonly<Record<CryptoSource, readonly MarketData[]>>;
  health(): readonly SourceHealth[];
}

/** Every exchange behind a client of its own, on which all its instruments share one allowance. Nothing is asked yet. */
export function cryptoSources(addresses: CryptoAddresses, tools: SourceTools): CryptoSources {
  const clients: SourceClient[] = [];
  const clientOf = (source: keyof CryptoAddresses, allowance: Allowance) => {
    const client = sourceClient({ source, baseUrl: addresses[source], allowance }, tools);
    clients.push(client);
    return client;
  };
  const { timing } = tools;
  const of = (...exchanges: readonly ExchangeApi[]) => exchanges.map((exchange) => exchangeSource(exchange, timing));
  const onBybit = clientOf('bybit', BYBIT_ALLOWANCE);
  const onOkx = clientOf('okx', OKX_ALLOWANCE);
  const sources = {
    binance: of(
      binance(clientOf('binance', BINANCE_ALLOWANCE)),
      binanceFutures(clientOf('binance-futures', BINANCE_FUTURES_ALLOWANCE)),
    ),
    coinbase: of(coinbase(clientOf('coinbase', COINBASE_ALLOWANCE))),
    kraken: of(kraken(clientOf('kraken', KRAKEN_ALLOWANCE), timing)),
    bybit: of(bybit(onBybit, 'spot'), bybit(onBybit, 'perp')),
    okx: of(okx(onOkx, 'spot', timing), okx(onOkx, 'perp', timing)),
  };
  return { sources, health: () => clients.map((client) => client.health()) };
}
