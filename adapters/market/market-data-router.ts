import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  isOpenEnded,
  type Listing,
  type MarketData,
  NO_ACTIONS_KNOWN,
  OutOfReach,
  SourceUnavailable,
} from '../../domain/market/market-data.ts';
import type { Market } from '../../domain/market/venues.ts';
import { MINUTE, type Millis } from '../../domain/time.ts';

const MOST = 10_000;

/** One source and what it is asked about: a market, or some of its venues only. */
export interface Route {
  readonly source: MarketData;
  /** Every market where it is left out. */
  readonly market?: Market;
  /** Every venue of the market where it is left out. */
  readonly venues?: readonly string[];
}

/** How long bars come from the source that knew the instrument, without asking whether it still does. */
const REMEMBERED = 10 * MINUTE;

/**
 * How long the others go before a source that could not give an instrument's bars: past the next try of an evaluation
 * that was put off, so that one that no source but the next can serve is served by it, from end to end.
 */
const SET_ASIDE = 15 * MINUTE;

/**
 * Several sources as one: those whose route fits are asked in order, and the first that knows the instrument serves
 * it. A source that fails is skipped if another knows the instrument and may have further bars of it; otherwise the router
 * is unavailable too. The bars of one instrument keep coming from one source; a failure is passed on before another takes
 * over.
 */
export function marketDataRouter(routes: readonly Route[], clock: { now(): Millis }): MarketData {
  const serving = sourceMemory<Route>(REMEMBERED);
  const failing = sourceMemory<Route>(SET_ASIDE);
  const describe = async (instrument: Instrument) => {
    const key = instrumentKey(instrument);
    const fitting = routes.filter((route) => fits(route, instrument));
    const found = await firstThatKnows(inOrder(fitting, failing.recall(key, clock.now())), instrument, clock.now());
    if (found) serving.keep(key, found.route, clock.now());
    return found;
  };
  return {
    describe: async (instrument) => (await describe(instrument))?.listing ?? null,
    async bars(instrument, size, from, to, now) {
      const key = instrumentKey(instrument);
      const route = serving.recall(key, clock.now()) ?? (await describe(instrument))?.route;
      if (!route) return barsOfUnlisted(routes, instrument, (source) => source.bars(instrument, size, from, to, now));
      try {
        return await route.source.bars(instrument, size, from, to, now);
      } catch (error) {
        if (error instanceof SourceUnavailable) setAside(route, key, { serving, failing }, clock.now());
        throw error;
      }
    },
    async actions(instrument, now) {
      const route = serving.recall(instrumentKey(instrument), clock.now()) ?? (await describe(instrument))?.route;
      return (await route?.source.actions?.(instrument, now)) ?? NO_ACTIONS_KNOWN;
    },
    coverage(instrument, at) {
      const covered = routes
        .filter((route) => fits(route, instrument))
        .map(({ source }) => source.coverage(instrument, at));
      const [first] = covered;
      return first && covered.length === 1 ? first : Promise.all(covered).then((all) => all.flat());
    },
  };
}

/**
 * The bars of an instrument that no source lists any more, by the first source that still answers for it.
 * @throws OutOfReach when none does: all have answered that they do not know it, so none is down
 */
async function barsOfUnlisted(
  routes: readonly Route[],
  instrument: Instrument,
  barsOf: (source: MarketData) => Promise<BarSeries>,
): Promise<BarSeries> {
  for (const { source } of routes.filter((route) => fits(route, instrument))) {
    try {
      return await barsOf(source);
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
    }
  }
  throw new OutOfReach(`no source knows ${instrumentKey(instrument)}`);
}

interface Memories {
  readonly serving: SourceMemory<Route>;
  readonly failing: SourceMemory<Route>;
}

function setAside(route: Route, key: string, { serving, failing }: Memories, now: Millis): void {
  serving.forget(key);
  failing.keep(key, route, now);
}

function inOrder(routes: readonly Route[], last: Route | undefined): readonly Route[] {
  return last === undefined ? routes : [...routes.filter((route) => route !== last), last];
}

interface Found {
  readonly route: Route;
  readonly listing: Listing;
}

async function firstThatKnows(routes: readonly Route[], instrument: Instrument, now: Millis): Promise<Found | null> {
  let failure: SourceUnavailable | null = null;
  for (const route of routes) {
    try {
      const listing = await route.source.describe(instrument);
      if (listing && (failure === null || (await mayHaveFurtherBars(route, instrument, now))))
        return { route, listing };
    } catch (error) {
      if (!(error instanceof SourceUnavailable)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return null;
}

/** Bar files that end in the past do not replace a source that fails: their listing would hide its present bars. */
async function mayHaveFurtherBars({ source }: Route, instrument: Instrument, now: Millis): Promise<boolean> {
  return (await source.coverage(instrument, now)).some(isOpenEnded);
}

/** Whether the source of a route is responsible for the instrument. */
export function fits({ market, venues }: Route, instrument: Instrument): boolean {
  return (market ?? instrument.market) === instrument.market && (venues?.includes(instrument.venue) ?? true);
}

/** What is remembered of each instrument, for a while. */
interface SourceMemory<T> {
  recall(key: string, now: Millis): T | undefined;
  keep(key: string, value: T, now: Millis): void;
  forget(key: string): void;
}

/** Beyond 10,000 instruments the oldest entry goes first. */
export function sourceMemory<T>(keepFor: Millis): SourceMemory<T> {
  const entries = new Map<string, { readonly value: T; readonly until: Millis }>();
  return {
    recall(key, now) {
      const entry = entries.get(key);
      return entry && now < entry.until ? entry.value : undefined;
    },
    keep(key, value, now) {
      entries.delete(key);
      entries.set(key, { value, until: now + keepFor });
      const [first] = entries.keys();
      if (entries.size > MOST && first !== undefined) entries.delete(first);
    },
    forget: (key) => void entries.delete(key),
  };
}
