import { factorBasis } from '../../domain/grading/bars/settled-bars.ts';
import { GRADING } from '../../domain/grading/method-numbers.ts';
import { type BarCache, coverOf } from '../../domain/market/bar-cache.ts';
import type { Bar } from '../../domain/market/bars.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { BAR_FILES, type SourceCoverage, SourceUnavailable } from '../../domain/market/market-data.ts';
import { MINUTE, type Millis } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';

type KnownPorts = Pick<Ports, 'barFiles' | 'barCache'>;

/**
 * The last daily bars before `anchor`, ascending, as far as they are known at `now` without a request over the network:
 * those of the bar files, else those that a source was asked for before. Empty if none is known, and ten minutes old at
 * most.
 * @param sources those that are responsible for the instrument, in order of preference
 */
export async function knownDays(
  ports: KnownPorts,
  instrument: Instrument,
  sources: readonly SourceCoverage[],
  { anchor, now }: { readonly anchor: Millis; readonly now: Millis },
): Promise<readonly Bar[]> {
  const from = calendarOf(instrument).nthBefore(anchor, DAYS).open;
  const remembered = memoryOf(ports.barCache);
  const names = sources.map(({ source }) => source).join();
  const key = `${instrumentKey(instrument)} ${from} ${factorBasis(instrument, now)} ${names}`;
  const known = remembered.get(key);
  if (known && known.at <= now && now < known.at + REMEMBERED) return known.days;
  const days = await readDays(ports, instrument, sources, { from, to: anchor, now });
  remembered.delete(key);
  remembered.set(key, { at: now, days });
  const [oldest] = remembered.keys();
  if (remembered.size > MOST && oldest !== undefined) remembered.delete(oldest);
  return days;
}

interface Span {
  readonly from: Millis;
  readonly to: Millis;
  readonly now: Millis;
}

async function readDays(
  ports: KnownPorts,
  instrument: Instrument,
  sources: readonly SourceCoverage[],
  span: Span,
): Promise<readonly Bar[]> {
  for (const { source, spans } of sources) {
    if (!spans['1d']) continue;
    const days =
      source === BAR_FILES
        ? await filedDays(ports, instrument, span)
        : await cachedDays(ports, instrument, source, span);
    if (days.length > 0) return days;
  }
  return [];
}

async function filedDays({ barFiles }: KnownPorts, instrument: Instrument, { from, to, now }: Span) {
  try {
    return (await barFiles.bars(instrument, '1d', from, to, now)).bars;
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return [];
  }
}

/** Bars of one fetch only where splits change the factors of earlier bars. */
async function cachedDays({ barCache }: KnownPorts, instrument: Instrument, source: string, { from, to, now }: Span) {
  const series = { source, instrument, size: '1d', basis: factorBasis(instrument, now) } as const;
  const stretches = await barCache.find(series, from, to);
  const { continuous } = calendarOf(instrument);
  const fetches = Map.groupBy(stretches, ({ fetch }) => (continuous ? '' : fetch));
  const known = [...fetches.values()].map((parts) => coverOf(parts, from, to).bars);
  return known.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

interface Remembered {
  readonly at: Millis;
  readonly days: readonly Bar[];
}

/** More than the volatility needs, since nothing trades on some. */
const DAYS = 3 * GRADING.returns;
const REMEMBERED = 10 * MINUTE;
const MOST = 1_000;
/** By the cache that it was read from. */
const memories = new WeakMap<BarCache, Map<string, Remembered>>();

function memoryOf(cache: BarCache): Map<string, Remembered> {
  const known = memories.get(cache) ?? new Map<string, Remembered>();
  memories.set(cache, known);
  return known;
}
