import { type Instrument, instrumentKey, type Market } from '../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';

/** One source and what it is asked about: a market, or some of its venues only. */
export interface Route {
  readonly source: MarketData;
  /** Every market where it is left out. */
  readonly market?: Market;
  /** Every venue of the market where it is left out. */
  readonly venues?: readonly string[];
}

/**
 * Several sources as one: those whose route fits are asked in order, and the first that knows the instrument serves
 * it. A source that fails hides the instrument only when no other knows it: then the router is unavailable too.
 */
export function marketDataRouter(routes: readonly Route[]): MarketData {
  return {
    async describe(instrument) {
      return (await firstThatKnows(routes, instrument))?.listing ?? null;
    },
    async bars(instrument, size, from, to, now) {
      const found = await firstThatKnows(routes, instrument);
      if (!found) throw new SourceUnavailable(`no source knows ${instrumentKey(instrument)}`);
      return found.source.bars(instrument, size, from, to, now);
    },
  };
}

interface Found {
  readonly source: MarketData;
  readonly listing: Listing;
}

async function firstThatKnows(routes: readonly Route[], instrument: Instrument): Promise<Found | null> {
  let failure: SourceUnavailable | null = null;
  for (const route of routes) {
    if (!fits(route, instrument)) continue;
    try {
      const listing = await route.source.describe(instrument);
      if (listing) return { source: route.source, listing };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return null;
}

function fits({ market, venues }: Route, instrument: Instrument): boolean {
  return (market ?? instrument.market) === instrument.market && (venues?.includes(instrument.venue) ?? true);
}
