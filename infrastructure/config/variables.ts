import { CRYPTO_SOURCES } from '../../adapters/market/crypto-sources.ts';
import { STOCK_SOURCES } from '../../adapters/market/stock-sources.ts';
import { COHORT, CONTRACT_LIMITS } from '../../domain/limits.ts';
import { VENUES, venuesOf } from '../../domain/market/venues.ts';
import { SAMPLERS } from '../tracing.ts';
import * as shape from './shapes.ts';

export interface Variable<T> {
  readonly shape: shape.Shape<T>;
  readonly about: string;
  /** As one would send it; without it the variable may be left out. */
  readonly fallback?: string;
  /** What leaving it out means, where there is no fallback. */
  readonly absent?: string;
}

const MANY = 1_000_000_000;
/** 30 days: cooldowns that are older are forgotten. */
const LONGEST_COOLDOWN = 2_592_000;

/** Everything that the environment can say (settled.md section 13), by section of the manual. */
export const SECTIONS = {
  Service: {
    PORT: of(shape.integer(0, 65_535), '3000', 'TCP port; 0 takes any free one.'),
    HOST: of(shape.text('a host name or an address', /^[\w.:-]+$/), '127.0.0.1', 'Address to listen on.'),
    ROLE: of(shape.oneOf('all', 'api', 'worker'), 'all', 'Answers requests, runs jobs, or both.'),
    WORKERS: of(shape.integer(1, 64), '1', 'Processes that answer requests.'),
    PUBLIC_URL: may(shape.origin, 'Where callers reach the service.', 'http://HOST:PORT'),
    TRUST_PROXY: of(shape.proxies, 'false', "Proxies whose X-Forwarded-For tells the caller's address."),
    CORS_ORIGINS: may(shape.origins, 'Web pages that browsers may let call the service.', 'none'),
    METRICS_TOKEN: may(shape.secret, 'Bearer token that opens /metrics to others.', 'loopback callers only'),
    METRICS_PORT: may(
      shape.integer(0, 65_535),
      'A further TCP port, on HOST, for /metrics, /healthz and /readyz alone; what a process without requests has.',
      'no further port',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: may(
      shape.address,
      'Base address of an OpenTelemetry collector that takes OTLP over HTTP; traces go to /v1/traces there.',
      'no traces',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: may(
      {
        ...shape.text('`name=value,name=value`', /^[\w-]+=[\x21-\x2b\x2d-\x7e]+(,[\w-]+=[\x21-\x2b\x2d-\x7e]+)*$/),
        secret: true,
      },
      'Headers of every request to the collector.',
      'none',
    ),
    OTEL_TRACES_SAMPLER: of(
      shape.oneOf(...SAMPLERS),
      'parentbased_always_on',
      'Which traces are recorded; `parentbased_`: those of a caller as the caller says.',
    ),
    OTEL_TRACES_SAMPLER_ARG: of(shape.share, '1', 'Share of the traces, for the samplers by `traceidratio`.'),
    LOG_LEVEL: of(
      shape.oneOf('silent', 'error', 'warn', 'info', 'http', 'debug'),
      'info',
      'Least level that is logged; `http` adds a line per request.',
    ),
    LOG_FORMAT: may(shape.oneOf('json', 'pretty'), 'Form of the log lines.', '`pretty` on a terminal, else `json`'),
  },
  'Data and secrets': {
    DATA_DIR: of(
      shape.text('the path of a folder', /^[^\0]+$/),
      './data',
      'Folder of the embedded database, its secrets and the bars.',
    ),
    DATABASE_URL: may(
      shape.postgresUrl,
      'PostgreSQL 15 or later, as the role of the service.',
      'an embedded PostgreSQL in DATA_DIR',
    ),
    MIGRATION_DATABASE_URL: may(
      shape.postgresUrl,
      'The same database as the role that owns the schema.',
      'DATABASE_URL',
    ),
    DATABASE_POOLER: of(
      shape.oneOf('none', 'transaction'),
      'none',
      'What stands before DATABASE_URL; `transaction`: a pooler such as PgBouncer in transaction mode.',
    ),
    DATABASE_READ_URL: may(
      shape.postgresUrl,
      'A streaming replica for what everybody may read, as the role of the service, past any pooler.',
      'the database answers all reads itself',
    ),
    DATABASE_POOL: of(shape.integer(1, 100), '10', 'Connections of each process to the database.'),
    SESSION_SECRET: may(
      shape.secret,
      'Signs page cursors.',
      'made once and kept in DATA_DIR; required with DATABASE_URL',
    ),
    PASSWORD_PEPPER: may(
      shape.secret,
      'Mixed into every password hash: losing it locks every password account out.',
      'made once and kept in DATA_DIR; required with DATABASE_URL',
    ),
  },
  'Identity provider (all four, or none)': {
    IDP_ISSUER: may(shape.issuer, 'Issuer; its endpoints are discovered.', 'sign-in by provider answers 503'),
    IDP_CLIENT_ID: may(
      shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
      'Our client id there.',
      'as IDP_ISSUER',
    ),
    IDP_CLIENT_SECRET: may(
      { ...shape.text('1 to 1,024 visible characters', /^[\x21-\x7e]{1,1024}$/), secret: true },
      'Our client secret there.',
      'as IDP_ISSUER',
    ),
    IDP_AUDIENCE: may(
      shape.text('1 to 255 visible characters', /^[\x21-\x7e]{1,255}$/),
      'Audience that access tokens must name.',
      'as IDP_ISSUER',
    ),
  },
  Evidence: {
    MARKET_DATA_BARS_DIR: may(
      shape.text('the path of a folder', /^[^\0]+$/),
      'Folder of the bar files.',
      '`bars` in DATA_DIR',
    ),
    MARKET_DATA_NETWORK: of(shape.boolean, 'true', 'Whether public market data sources are asked.'),
    MARKET_DATA_CRYPTO: of(
      shape.sourcesByVenue(venuesOf('crypto'), [...CRYPTO_SOURCES, 'files']),
      'BINANCE:binance,COINBASE:coinbase,KRAKEN:kraken,BYBIT:bybit,OKX:okx',
      'Sources of each crypto venue; the first that knows an instrument serves it. A venue left out has its bar files.',
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
      'Further crypto venues, asked through the package ccxt, by its ids in upper case.',
      'none',
    ),
    MARKET_DATA_STOCKS: of(
      shape.someOf(...STOCK_SOURCES, 'files'),
      'files',
      'Sources of US stocks in their order; the first that knows a stock serves it.',
    ),
    MARKET_DATA_ALPACA_KEY: may(shape.key, 'Key of an Alpaca account.', 'Alpaca is not asked'),
    MARKET_DATA_ALPACA_SECRET: may(shape.key, 'The secret of that key.', 'Alpaca is not asked'),
    MARKET_DATA_ALPACA_FEED: of(
      shape.oneOf('sip', 'iex'),
      'sip',
      'All US exchanges, or IEX alone. Every account has `sip` after 15 minutes.',
    ),
    MARKET_DATA_ALPACA_PER_MINUTE: of(
      shape.integer(2, 10_000),
      '200',
      'Requests that the Alpaca plan allows a minute.',
    ),
    MARKET_DATA_ALPACA_URL: of(shape.address, 'https://data.alpaca.markets', 'Market data of Alpaca, or a mirror.'),
    MARKET_DATA_MASSIVE_KEY: may(shape.key, 'Key of a Massive (formerly Polygon) account.', 'Massive is not asked'),
    MARKET_DATA_MASSIVE_YEARS: of(shape.integer(1, 50), '2', 'How many years back the Massive plan reaches.'),
    MARKET_DATA_MASSIVE_PER_MINUTE: of(
      shape.integer(2, 10_000),
      '5',
      'Requests that the Massive plan allows a minute.',
    ),
    MARKET_DATA_MASSIVE_URL: of(shape.address, 'https://api.massive.com', 'Interface of Massive, or a mirror.'),
    MARKET_DATA_YAHOO_URL: of(
      shape.address,
      'https://query1.finance.yahoo.com',
      'Charts of Yahoo Finance (personal use), or a mirror.',
    ),
    MARKET_DATA_SYMBOLS_URL: of(
      shape.address,
      'https://www.nasdaqtrader.com/dynamic/SymDir',
      'Folder of the daily files of US listings (nasdaqlisted.txt, otherlisted.txt), or a mirror.',
    ),
    WISDOM_MIN_PRODUCERS: of(
      shape.integer(1, COHORT.mostMinProducers),
      String(COHORT.minProducers),
      'Distinct owners below which a cohort is suppressed.',
    ),
    WISDOM_MIN_SAMPLES: of(
      shape.integer(1, 1_000_000),
      String(COHORT.minSamples),
      'Evaluated records below which a cohort is suppressed.',
    ),
    CIRCUIT_MONITOR: of(
      shape.boolean,
      'true',
      'Whether exchanges are asked every minute what USDT and USDC trade at; never with MARKET_DATA_NETWORK=false.',
    ),
    CIRCUIT_BITSTAMP_URL: of(shape.address, 'https://www.bitstamp.net', 'Interface of Bitstamp, or a mirror.'),
    CIRCUIT_GEMINI_URL: of(shape.address, 'https://api.gemini.com', 'Interface of Gemini, or a mirror.'),
    CIRCUIT_AUTO_TRIP: of(
      shape.boolean,
      'true',
      'Whether the monitor trips circuits by itself. Without it tripped ones still warm.',
    ),
    CIRCUIT_TRIPPED_SUBMITS: of(
      shape.oneOf('isolate', 'refuse'),
      'isolate',
      'What happens to submissions quoted in a tripped coin.',
    ),
    LEGAL_TERMS: of(shape.versions, '1.0', 'Versions of the terms that can be accepted, the current one last.'),
    LEGAL_PRIVACY: of(
      shape.versions,
      '1.0',
      'Versions of the privacy notice that can be accepted, the current one last.',
    ),
  },
  'Limits (the defaults are the contract)': {
    LIMIT_RATE_PER_SECOND: of(
      shape.integer(1, MANY),
      String(CONTRACT_LIMITS.ratePerSecond),
      'Requests per API key and second.',
    ),
    LIMIT_RATE_PER_MINUTE: of(
      shape.integer(1, MANY),
      String(CONTRACT_LIMITS.ratePerMinute),
      'Requests per API key and minute.',
    ),
    LIMIT_QUERY_PER_DAY: of(
      shape.integer(0, MANY),
      String(CONTRACT_LIMITS.queryPerDay),
      'Cohort queries per owner and UTC day, before credit.',
    ),
    LIMIT_READ_PER_DAY: of(
      shape.integer(0, MANY),
      String(CONTRACT_LIMITS.readPerDay),
      'Record reads per owner and UTC day.',
    ),
    LIMIT_CHECK_PER_DECISION: of(
      shape.integer(0, MANY),
      String(CONTRACT_LIMITS.checkPerDecision),
      'Outcome checks per owner, decision and UTC day.',
    ),
    LIMIT_SUBMITS_PER_HOUR: of(
      shape.integer(0, MANY),
      String(CONTRACT_LIMITS.submitsPerHour),
      'Accepted submissions per agent and UTC hour.',
    ),
    LIMIT_RETROACTIVE_PER_DAY: of(
      shape.integer(0, MANY),
      String(CONTRACT_LIMITS.retroactivePerDay),
      'Accepted retroactive submissions per owner and UTC day.',
    ),
    LIMIT_COOLDOWN_SECONDS: of(
      shape.integer(0, LONGEST_COOLDOWN),
      String(CONTRACT_LIMITS.cooldownSeconds),
      'Wait between submissions of one agent, symbol and direction; 0 turns it off.',
    ),
    LIMIT_ADDRESS_PER_MINUTE: of(
      shape.integer(1, MANY),
      String(CONTRACT_LIMITS.addressPerMinute),
      'Requests without credentials per client address and minute.',
    ),
    LIMIT_SIGNUPS_PER_MINUTE: of(
      shape.integer(1, MANY),
      String(CONTRACT_LIMITS.signupsPerMinute),
      'Registrations, logins and device starts per client address and minute.',
    ),
  },
} as const;

/** A variable of ours that we do not know is a slip of the pen, which must not pass silently. */
export const OUR_PREFIXES = ['LIMIT_', 'WISDOM_', 'CIRCUIT_', 'MARKET_DATA_', 'LEGAL_', 'IDP_'] as const;

function of<T>(shape: shape.Shape<T>, fallback: string, about: string): Variable<T> & { readonly fallback: string } {
  return { shape, about, fallback };
}

function may<T>(shape: shape.Shape<T>, about: string, absent: string): Variable<T> & { readonly absent: string } {
  return { shape, about, absent };
}
