import { factorBasis, settledUntil } from '../../domain/grading/bars/settled-bars.ts';
import { GRADING } from '../../domain/grading/method-numbers.ts';
import {
  type BarCache,
  type BarStretch,
  type CachedSeries,
  type Cover,
  coverOf,
  type StoredStretch,
} from '../../domain/market/bar-cache.ts';
import { barsWithin, lengthOf } from '../../domain/market/bars.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type BarSeries, type Listing, type MarketData, NO_ACTIONS_KNOWN } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';

/**
 * A source of which settled bars are fetched once, however many callers ask: the cache answers what it has, the rest is
 * fetched in one request and stored. Bars are stored a settle delay after their end, when no source corrects them any
 * more.
 * @param names the newest statement about names that this process knows: bars by older ones are not stored
 */
export function cachedMarketData(marketData: MarketData, cache: BarCache, names?: () => number): MarketData {
  const inTurn = turns();
  let known: Source | null = null;
  const describe = async (instrument: Instrument) => {
    const listing = await marketData.describe(instrument);
    // A source has the same name and cadence for all instruments.
    if (listing) known = { name: listing.source, cadence: listing.cadence, marketData, newest: names };
    return listing;
  };
  return {
    ...(marketData.names && { names: marketData.names }),
    describe,
    coverage: (instrument, at) => marketData.coverage(instrument, at),
    actions: async (instrument, now) => (await marketData.actions?.(instrument, now)) ?? NO_ACTIONS_KNOWN,
    async bars(instrument, size, from, to, now) {
      if (known === null) await describe(instrument);
      if (known === null) return marketData.bars(instrument, size, from, to, now);
      const source = known;
      const series = { source: source.name, instrument, size, basis: factorBasis(instrument, now) };
      const settled = settledUntil(instrument, { size, cadence: source.cadence }, now);
      const window = aligned(series, from, Math.min(to, settled));
      // A second caller finds what the first has fetched.
      return inTurn(`${size} ${instrumentKey(instrument)}`, () => read(source, cache, series, window, now));
    },
  };
}

interface Source {
  readonly name: string;
  readonly cadence: Listing['cadence'];
  readonly marketData: MarketData;
  readonly newest: (() => number) | undefined;
}

interface Interval {
  readonly from: Millis;
  readonly to: Millis;
}

async function read(
  { name, marketData, newest }: Source,
  cache: BarCache,
  series: CachedSeries,
  { from, to }: Interval,
  now: Millis,
): Promise<BarSeries> {
  const { instrument, size } = series;
  const names = marketData.names && { names: marketData.names };
  const answer = (bars: BarSeries['bars'], dropped = 0) => ({ source: name, ...names, size, bars, dropped });
  if (from >= to) return answer([]);
  const stretches = await cache.find(series, from, to);
  const known = knownOf(series, stretches, { from, to });
  if (known.missing === null) return answer(known.bars);
  const asked = newest?.();
  const fetched = await marketData.bars(instrument, size, known.missing.from, known.missing.to, now);
  if (fetched.source !== name || fetched.size !== size) throw new TypeError(`${name} answered as ${fetched.source}`);
  const stretch: BarStretch = { ...known.missing, bars: fetched.bars };
  const until = completeUntil(fetched, instrument, known.missing, now);
  // Rows with impossible prices may be corrected later.
  if (fetched.dropped === 0 && known.missing.from < until) await cache.keep(series, { ...stretch, to: until }, asked);
  return answer(coverOf([...known.parts, stretch], from, to).bars, fetched.dropped);
}

/**
 * Up to when a reply is complete. Before its last bar nothing new will come, nor after days have passed; but a late
 * source may still send the bars missing at its end (evaluation.md section 6).
 */
function completeUntil({ size, bars }: BarSeries, instrument: Instrument, { from, to }: Interval, now: Millis): Millis {
  const last = bars.at(-1)?.end ?? from;
  const sessions = calendarOf(instrument).sessions(last, to);
  const complete = sessions.every((session) => barsWithin(session, size, last, to) === 0);
  return complete ? to : Math.min(to, Math.max(last, now - GRADING.lateSource));
}

interface Known extends Cover {
  readonly parts: readonly StoredStretch[];
}

/**
 * Bars of coins may come from several fetches; those of stocks from a single one that has all of them, because of their
 * factors.
 */
function knownOf({ instrument }: CachedSeries, stretches: readonly StoredStretch[], { from, to }: Interval): Known {
  const known = (parts: readonly StoredStretch[]) => ({ parts, ...coverOf(parts, from, to) });
  if (calendarOf(instrument).continuous) return known(stretches);
  const fetches = [...Map.groupBy(stretches, ({ fetch }) => fetch).values()].map(known);
  return fetches.find(({ missing }) => missing === null) ?? known([]);
}

/** The same span widened to the edges of bars, so that no bar lies across the edge of two fetches. */
function aligned({ instrument, size }: CachedSeries, from: Millis, to: Millis): Interval {
  if (!calendarOf(instrument).continuous) return { from, to };
  const length = lengthOf(size);
  return { from: Math.ceil(from / length) * length, to: Math.floor(to / length) * length };
}

/** Runs work of the same name one after the other, also after a failure. */
function turns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work, work);
    last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (last.get(name) === mine) last.delete(name);
    }
  };
}
