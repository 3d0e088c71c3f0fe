import type { MarketData } from '../../../domain/market/market-data.ts';
import type { SourceHealth } from '../../../domain/market/source-health.ts';
import { TABLE_VENUES, usVenues } from '../../../domain/market/venues.ts';
import { type SourceClient, type SourceTools, sourceClient } from '../source-client.ts';
import { type AlpacaFeed, alpaca, alpacaHeaders, perMinute } from './alpaca.ts';
import { EODHD_VENUES, type EodhdPlan, eodhd, eodhdAllowance } from './eodhd.ts';
import { massive, massiveHeaders } from './massive.ts';
import { type StockService, stockSource } from './stock-source.ts';
import { YAHOO_ALLOWANCE, yahoo } from './yahoo.ts';

/** The sources of stock prices that can be asked, by the names that configuration and outcomes use. */
export const STOCK_SOURCES = ['alpaca', 'massive', 'yahoo', 'eodhd'] as const;
export type StockSource = (typeof STOCK_SOURCES)[number];

/** The venues whose stocks a source can be asked for. Those of the United States do not know symbols of other countries. */
export function venuesServedBy(source: StockSource): readonly string[] {
  if (source === 'eodhd') return EODHD_VENUES;
  return source === 'yahoo' ? TABLE_VENUES.namesOf('stock') : usVenues();
}

/** What each source wants to know; null where there is no key. */
export interface StockAccess {
  readonly alpaca: {
    readonly url: string;
    readonly key: string;
    readonly secret: string;
    readonly feed: AlpacaFeed;
    readonly perMinute: number;
  } | null;
  readonly massive: {
    readonly url: string;
    readonly key: string;
    readonly years: number;
    readonly perMinute: number;
  } | null;
  readonly yahoo: { readonly url: string };
  readonly eodhd: (EodhdPlan & { readonly url: string }) | null;
}

export interface StockSources {
  /** Those of the list that there is access to, in its order. */
  of(names: readonly StockSource[]): readonly MarketData[];
  /** The requests of one source, without its history of days; null without access. */
  service(name: StockSource): StockService | null;
  health(): readonly SourceHealth[];
}

/** Each source behind a client of its own, made when it is first wanted. Nothing is asked yet. */
export function stockSources(access: StockAccess, tools: SourceTools): StockSources {
  const clients: SourceClient[] = [];
  const services: Readonly<Record<StockSource, () => StockService | null>> = {
    alpaca: () => access.alpaca && onAlpaca(access.alpaca, tools, clients),
    massive: () => access.massive && onMassive(access.massive, tools, clients),
    yahoo: () => {
      const client = sourceClient({ source: 'yahoo', baseUrl: access.yahoo.url, allowance: YAHOO_ALLOWANCE }, tools);
      clients.push(client);
      return yahoo(client, tools.timing);
    },
    eodhd: () => access.eodhd && onEodhd(access.eodhd, tools, clients),
  };
  return {
    service: (name) => services[name](),
    of: (names) =>
      names.flatMap((name) => {
        const service = services[name]();
        return service ? [stockSource(service, tools.timing)] : [];
      }),
    health: () => clients.map((client) => client.health()),
  };
}

function onAlpaca(
  { url, feed, perMinute: requests, ...keys }: NonNullable<StockAccess['alpaca']>,
  tools: SourceTools,
  clients: SourceClient[],
): StockService {
  const place = { source: 'alpaca', baseUrl: url, allowance: perMinute(requests), headers: alpacaHeaders(keys) };
  const client = sourceClient(place, tools);
  clients.push(client);
  return alpaca(client, { feed });
}

function onMassive(
  { url, key, years, perMinute: requests }: NonNullable<StockAccess['massive']>,
  tools: SourceTools,
  clients: SourceClient[],
): StockService {
  const place = { source: 'massive', baseUrl: url, allowance: perMinute(requests), headers: massiveHeaders(key) };
  const client = sourceClient(place, tools);
  clients.push(client);
  return massive(client, { baseUrl: url, years });
}

function onEodhd(
  { url, ...plan }: NonNullable<StockAccess['eodhd']>,
  tools: SourceTools,
  clients: SourceClient[],
): StockService {
  const place = { source: 'eodhd', baseUrl: url, allowance: eodhdAllowance(plan), query: { api_token: plan.key } };
  const client = sourceClient(place, tools);
  clients.push(client);
  return eodhd(client, plan, tools.timing);
}
