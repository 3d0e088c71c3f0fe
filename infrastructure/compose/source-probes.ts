import { ccxtVenue, loadCcxt } from '../../adapters/market/exchanges/ccxt.ts';
import { type CryptoSource, cryptoSources } from '../../adapters/market/exchanges/crypto-sources.ts';
import { PEG_EXCHANGES, type PegExchangeName, pegSources } from '../../adapters/market/pegs/peg-sources.ts';
import type { SourceTools } from '../../adapters/market/source-client.ts';
import type { StockService } from '../../adapters/market/stocks/stock-source.ts';
import { type StockSource, stockSources, venuesServedBy } from '../../adapters/market/stocks/stock-sources.ts';
import { COINS } from '../../domain/circuits/coin.ts';
import type { Bar } from '../../domain/market/bars.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { MarketData } from '../../domain/market/market-data.ts';
import type { NewestPrice, SourceProbe } from '../../domain/market/source-health.ts';
import type { AssetClass } from '../../domain/market/venues.ts';
import { DAY, HOUR } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';
import { REQUEST_DEADLINE, SYSTEM_TIMING } from './market-sources.ts';

/** Probes of every live source that is configured, with clients of their own; none without the network. */
export function sourceProbes(config: Config['marketData']): readonly SourceProbe[] {
  if (!config.network) return [];
  const silent = () => undefined;
  const tools = { timing: SYSTEM_TIMING, log: { info: silent, warn: silent }, deadline: REQUEST_DEADLINE };
  return [
    ...exchangeProbes(config, tools),
    ...config.ccxtVenues.flatMap((venue) => {
      const [spot, perp] = ccxtVenue(venue, tools, loadCcxt).sources;
      const hasSpot = !PERPETUALS_ALONE.includes(venue);
      const subject = hasSpot ? bitcoin(venue, 'spot', 'USDT') : bitcoin(venue, 'perp', 'USDC');
      const source = hasSpot ? spot : perp;
      return source ? [barProbe(`ccxt-${venue.toLowerCase()}`, subject, source, tools)] : [];
    }),
    ...stockProbes(config, tools),
    ...(config.pegs ? pegProbes(config.pegs, tools) : []),
  ];
}

/** Exchanges through ccxt that have no bitcoin of their own, only perpetuals in USDC. */
const PERPETUALS_ALONE: readonly string[] = ['HYPERLIQUID', 'COINBASEINTL'];

const CLASSES: readonly AssetClass[] = ['spot', 'perp'];
const USD_EXCHANGES: readonly CryptoSource[] = ['coinbase', 'kraken'];

/** Spot first and then perpetuals, where the exchange has both. */
function exchangeProbes({ crypto, addresses }: Config['marketData'], tools: SourceTools): readonly SourceProbe[] {
  const { sources } = cryptoSources(addresses, tools);
  const names = new Set(Object.values(crypto).flat());
  return [...names].flatMap((name) =>
    name === 'files'
      ? []
      : sources[name].map((source, index) => {
          const quote = USD_EXCHANGES.includes(name) ? 'USD' : 'USDT';
          return barProbe(name, bitcoin(name.toUpperCase(), CLASSES[index] ?? 'spot', quote), source, tools);
        }),
  );
}

function bitcoin(venue: string, asset_class: AssetClass, quote_currency: string): Instrument {
  return { market: 'crypto', symbol: 'BTC', venue, asset_class, quote_currency };
}

/** The minutes of the last hour. */
function barProbe(source: string, instrument: Instrument, data: MarketData, { timing }: SourceTools): SourceProbe {
  return {
    source,
    subject: instrumentKey(instrument),
    async request() {
      const now = timing.now();
      return newestOf((await data.bars(instrument, '1m', now - HOUR, now, now)).bars);
    },
  };
}

const APPLE: Instrument = {
  market: 'stock',
  symbol: 'AAPL',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
};

/** EODHD serves no stocks of the United States. */
const SAP: Instrument = { ...APPLE, symbol: 'SAP.DE', venue: 'XETRA', quote_currency: 'EUR' };

/** The days of the last ten, which contain sessions whatever the holidays. */
function stockProbes({ stocks, stockAccess }: Config['marketData'], tools: SourceTools): readonly SourceProbe[] {
  const sources = stockSources(stockAccess, tools);
  const names = stocks.filter((name): name is StockSource => name !== 'files');
  return names.flatMap((source) => {
    const service = sources.service(source);
    return service === null
      ? []
      : [
          {
            source,
            subject: instrumentKey(subjectOf(source)),
            request: () => newestDay(service, subjectOf(source), tools),
          },
        ];
  });
}

function subjectOf(source: StockSource): Instrument {
  return venuesServedBy(source).includes(APPLE.venue) ? APPLE : SAP;
}

async function newestDay(
  service: StockService,
  subject: Instrument,
  { timing }: SourceTools,
): Promise<NewestPrice | null> {
  const to = Math.floor(timing.now() - service.delay(subject));
  return newestOf(await service.candles(subject, '1d', Math.floor(to / DAY - 10) * DAY, to));
}

function newestOf(bars: readonly Pick<Bar, 'start'>[]): NewestPrice | null {
  return bars.length === 0 ? null : { at: Math.max(...bars.map(({ start }) => start)) };
}

/** The last trade of one coin on each exchange. */
function pegProbes(addresses: NonNullable<Config['marketData']['pegs']>, tools: SourceTools): readonly SourceProbe[] {
  const { exchanges } = pegSources(addresses, tools);
  const names = [...new Set<PegExchangeName>(COINS.flatMap((coin) => PEG_EXCHANGES[coin]))];
  return names.map((name) => {
    const coin = COINS.find((each) => PEG_EXCHANGES[each].some((exchange) => exchange === name)) ?? COINS[0];
    const request = async () => {
      const quote = await exchanges[name](coin);
      return quote && { at: quote.at?.getTime() ?? null };
    };
    return { source: `peg-${name}`, subject: coin, request };
  });
}
