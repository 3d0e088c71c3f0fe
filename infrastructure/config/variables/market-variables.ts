import { CRYPTO_SOURCES } from '../../../adapters/market/exchanges/crypto-sources.ts';
import { STOCK_SOURCES } from '../../../adapters/market/stocks/stock-sources.ts';
import { TABLE_VENUES, VENUES } from '../../../domain/market/venues.ts';
import * as shape from '../shapes.ts';
import { may, of } from '../variable.ts';

/** The sources of prices and listings. */
export const MARKET_DATA = {
  MARKET_DATA_BARS_DIR: may(
    shape.text('the path of a folder', /^[^\0]+$/),
    'Folder of the bar files.',
    '`bars` in DATA_DIR',
  ),
  MARKET_DATA_NETWORK: of(shape.boolean, 'true', 'Whether public market data sources are used.'),
  MARKET_DATA_CRYPTO: of(
    shape.sourcesByVenue(TABLE_VENUES.namesOf('crypto'), [...CRYPTO_SOURCES, 'files']),
    'BINANCE:binance,COINBASE:coinbase,KRAKEN:kraken,BYBIT:bybit,OKX:okx',
    'Sources of each crypto venue; the first that knows an instrument serves it. A venue that is not listed uses its bar files.',
  ),
  MARKET_DATA_BINANCE_URL: of(shape.address, 'https://api.binance.com', 'Spot interface of Binance, or a mirror.'),
  MARKET_DATA_BINANCE_FUTURES_URL: of(
    shape.address,
    'https://fapi.binance.com',
    'USDT-margined futures interface of Binance, or a mirror.',
  ),
  MARKET_DATA_COINBASE_URL: of(
    shape.address,
    'https://api.exchange.coinbase.com',
    'Interface of Coinbase Exchange, or a mirror.',
  ),
  MARKET_DATA_KRAKEN_URL: of(shape.address, 'https://api.kraken.com', 'Spot interface of Kraken, or a mirror.'),
  MARKET_DATA_BYBIT_URL: of(shape.address, 'https://api.bybit.com', 'Interface of Bybit, or a mirror.'),
  MARKET_DATA_OKX_URL: of(shape.address, 'https://www.okx.com', 'Interface of OKX, or a mirror.'),
  MARKET_DATA_CCXT_VENUES: may(
    shape.furtherVenues(VENUES.map(({ name }) => name)),
    'Further crypto venues, served by the package ccxt, by its ids in upper case.',
    'none',
  ),
  MARKET_DATA_STOCKS: of(
    shape.someOf(...STOCK_SOURCES, 'files'),
    'files',
    'Sources of stocks in their order; the first that serves the venue and knows the stock serves it.',
  ),
  MARKET_DATA_ALPACA_KEY: may(shape.key, 'Key of an Alpaca account.', 'Alpaca is not used'),
  MARKET_DATA_ALPACA_SECRET: may(shape.key, 'The secret of that key.', 'Alpaca is not used'),
  MARKET_DATA_ALPACA_FEED: of(
    shape.oneOf('sip', 'iex'),
    'sip',
    'All US exchanges, or IEX alone. Every account has `sip` after 15 minutes.',
  ),
  MARKET_DATA_ALPACA_PER_MINUTE: of(shape.integer(2, 10_000), '200', 'Requests that the Alpaca plan allows a minute.'),
  MARKET_DATA_ALPACA_URL: of(shape.address, 'https://data.alpaca.markets', 'Market data of Alpaca, or a mirror.'),
  MARKET_DATA_MASSIVE_KEY: may(shape.key, 'Key of a Massive (formerly Polygon) account.', 'Massive is not used'),
  MARKET_DATA_MASSIVE_YEARS: of(shape.integer(1, 50), '2', 'How many years back the Massive plan reaches.'),
  MARKET_DATA_MASSIVE_PER_MINUTE: of(shape.integer(2, 10_000), '5', 'Requests that the Massive plan allows a minute.'),
  MARKET_DATA_MASSIVE_URL: of(shape.address, 'https://api.massive.com', 'Interface of Massive, or a mirror.'),
  MARKET_DATA_YAHOO_URL: of(
    shape.address,
    'https://query1.finance.yahoo.com',
    'Charts of Yahoo Finance (personal use), or a mirror.',
  ),
  MARKET_DATA_EODHD_KEY: may(shape.key, 'Key of an EODHD account.', 'EODHD is not used'),
  MARKET_DATA_EODHD_YEARS: of(shape.integer(1, 50), '1', 'How many years back the EODHD plan reaches.'),
  MARKET_DATA_EODHD_PER_DAY: of(shape.integer(2, 1_000_000), '20', 'Requests that the EODHD plan allows a day.'),
  MARKET_DATA_EODHD_URL: of(shape.address, 'https://eodhd.com/api', 'Interface of EODHD, or a mirror.'),
  MARKET_DATA_SYMBOLS_URL: of(
    shape.address,
    'https://www.nasdaqtrader.com/dynamic/SymDir',
    'Folder of the daily files of US listings (nasdaqlisted.txt, otherlisted.txt), or a mirror.',
  ),
  MARKET_REFERENCE: may(
    shape.instruments,
    'Instruments whose move outcomes show as that of the market, each for the venues of its country, or for its crypto venue.',
    'SPX, else SPY; 000001 of SSE; the fund in the file of another venue; BTC of the same venue and quote',
  ),
  MARKET_DATA_REDISTRIBUTE: of(
    shape.oneOf('on', 'off'),
    'off',
    'Whether public proofs may contain the bars of a grade: only where the licences of all sources allow it.',
  ),
} as const;
