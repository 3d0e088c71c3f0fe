import { lengthOf } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { MarketData } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { rfc3339, SECOND } from '../../../domain/time.ts';
import { candlesOf, fieldsOf, textOf } from '../candles.ts';
import { type Allowance, type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';
import { BINANCE_ALLOWANCE, BINANCE_FUTURES_ALLOWANCE, binance, binanceFutures } from './binance.ts';
import { BYBIT_ALLOWANCE, bybit } from './bybit.ts';
import { type ExchangeApi, exchangeSource, type TradingStatus } from './exchange-source.ts';
import { KRAKEN_ALLOWANCE, kraken } from './kraken.ts';
import { OKX_ALLOWANCE, okx } from './okx.ts';

/** Half of the 10 a second that one address may ask. */
export const COINBASE_ALLOWANCE = { perSecond: 5, burst: 5 };

const COLUMNS = { start: 0, low: 1, high: 2, open: 3, close: 4, volume: 5 };

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

/** Pairs of Coinbase Exchange. Candles begin on UTC time, come newest first, and are left out where nothing traded. */
export function coinbase(client: SourceClient): ExchangeApi {
  return {
    source: client.source,
    asset_class: 'spot',
    perPage: 300,
    tradingStatus: (instrument) =>
      client.ask({
        about: instrument,
        path: `/products/${productOf(instrument)}`,
        answers: [404],
        read: (body, status) => (status === 404 ? null : standingOf(body)),
      }),
    page: (instrument, size, from, to) =>
      client.ask({
        about: instrument,
        path: `/products/${productOf(instrument)}/candles`,
        query: {
          granularity: lengthOf(size) / SECOND,
          start: rfc3339(from),
          // Both ends count: up to `to` itself a full page would be one bar too long, and refused.
          end: rfc3339(to - lengthOf(size)),
        },
        read: (body) => candlesOf(body, COLUMNS, SECOND),
      }),
  };
}

function productOf({ symbol, quote_currency }: Instrument): string {
  return `${symbol}-${quote_currency}`;
}

/** Coinbase does not publish since when a product trades. */
function standingOf(body: unknown): TradingStatus {
  const { status, trading_disabled } = fieldsOf(body);
  return { trading: textOf(status) === 'online' && trading_disabled !== true, listed_at: null };
}
