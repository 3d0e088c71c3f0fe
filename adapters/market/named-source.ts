import { BAR_SIZES, type Bar } from '../../domain/market/bars.ts';
import { timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  type CoveredSpan,
  type KnownActions,
  type Listing,
  type MarketData,
  type NamesOf,
  NO_ACTIONS_KNOWN,
  OutOfReach,
  type SourceCoverage,
} from '../../domain/market/market-data.ts';
import { ALWAYS, type NameBook } from '../../domain/market/name-book.ts';
import { FOREVER } from '../../domain/market/name-statement.ts';
import { DAY, type Millis } from '../../domain/time.ts';
import { localDate, localToInstant } from '../../domain/zoned-time.ts';

/**
 * A source that is asked by the names of securities, where instruments have their keys. One that names by date is asked
 * for each stretch between two renames, and the factors of the earlier ones lead to the newest bar of all.
 * @param names as they are known when it is asked
 */
export function namedSource(source: MarketData, way: NamesOf, names: () => NameBook, today: () => Millis): MarketData {
  const isNamed = ({ market, symbol }: Instrument) => symbol.includes('~') || names().knowsKey(market, symbol);
  const dateOf = (instrument: Instrument, at: Millis) => localDate(at, timeZoneOf(instrument));
  const named = (instrument: Instrument, at: Millis) =>
    isNamed(instrument) ? { ...instrument, symbol: names().nameOf(instrument, dateOf(instrument, at)) } : instrument;
  const takenAt = (instrument: Instrument) => (isNamed(instrument) ? nameTakenOn(names(), instrument) : null);
  const isTaken = (instrument: Instrument, at: Millis) =>
    way === 'today' && (takenAt(instrument) ?? FOREVER) <= dateOf(instrument, at);
  return {
    names: way,
    describe: async (instrument) => (isTaken(instrument, today()) ? null : source.describe(named(instrument, today()))),
    coverage: async (instrument, at) =>
      isTaken(instrument, today()) ? [] : source.coverage(named(instrument, today()), at),
    actions: async (instrument, now) =>
      (isTaken(instrument, now) ? undefined : await source.actions?.(named(instrument, now), now)) ?? NO_ACTIONS_KNOWN,
    async bars(instrument, size, from, wanted, now) {
      const zone = timeZoneOf(instrument);
      const takenOn = takenAt(instrument);
      const taken = takenOn === null ? Number.POSITIVE_INFINITY : startOf(takenOn, zone);
      if (isTaken(instrument, now) || from >= taken)
        throw new OutOfReach(`another security has the name of ${instrumentKey(instrument)}`);
      if (way === 'today' || !isNamed(instrument))
        return { ...(await source.bars(named(instrument, now), size, from, wanted, now)), names: way };
      const to = Math.min(wanted, taken);
      const parts = names().namesOf(instrument, dateOf(instrument, from), dateOf(instrument, to + DAY));
      const series: Joint[] = [];
      for (const [at, { name, from: since, factor }] of parts.entries()) {
        const next = parts[at + 1]?.from;
        const begin = at === 0 ? from : startOf(since, zone);
        const end = next === undefined ? to : startOf(next, zone);
        if (begin >= end) continue;
        const part = await source.bars({ ...instrument, symbol: name }, size, begin, Math.min(end, to), now);
        series.push({ ...part, factor });
      }
      return { ...joined(series, size), names: way };
    },
  };
}

/** What a folder of files has of a security: the rows that start in one of these spans. */
interface FolderRows {
  readonly folder: Instrument;
  readonly spans: readonly CoveredSpan[];
}

/**
 * Files of bars, which lie under the key by which they were imported. A name that was learned since makes rows of a folder
 * those of another security, which had the name on their date; but not on dates on which the security that has the name today
 * was there too, since a source may name all rows by today. Rows of the folder of the key itself come first.
 */
export function namedFiles(files: MarketData, names: () => NameBook, today: () => Millis): MarketData {
  const foldersOf = (instrument: Instrument) => folderRows(names(), instrument, today());
  return {
    async describe(instrument) {
      const folders = foldersOf(instrument);
      if (folders === null) return files.describe(instrument);
      const [covered] = await coverageOf(files, folders, today());
      if (!covered) return null;
      const found = await Promise.all(folders.map(async ({ folder }) => (await files.describe(folder)) ?? []));
      const [first] = found.flat();
      const { spans } = covered;
      return first
        ? { ...first, sizes: BAR_SIZES.filter((size) => spans[size]), history_from: historyOf(covered, first) }
        : null;
    },
    async coverage(instrument, at) {
      const folders = foldersOf(instrument);
      return folders === null ? files.coverage(instrument, at) : coverageOf(files, folders, at);
    },
    async actions(instrument, now) {
      const folders = foldersOf(instrument) ?? [{ folder: instrument, spans: [ALL_TIME] }];
      const known = await Promise.all(folders.map((each) => actionsIn(files, each, now)));
      return {
        actions: known.flatMap(({ actions }) => actions),
        lists: known.flatMap(({ lists }) => lists),
        none: known.flatMap(({ none }) => none),
        listed_on: known.find(({ listed_on }) => listed_on !== null)?.listed_on ?? null,
      };
    },
    async bars(instrument, size, from, to, now) {
      const series: BarSeries[] = [];
      for (const each of foldersOf(instrument) ?? []) {
        const [covered] = await coverageOf(files, [each], now);
        if (!covered?.spans[size]) continue;
        const part = await files.bars(each.folder, size, from, to, now);
        const bars = part.bars.filter((bar) => isWithinAny(bar.start, each.spans) && !series.some(overlaps(bar)));
        if (bars.length > 0) series.push({ ...part, bars });
      }
      if (series.length === 0) return files.bars(instrument, size, from, to, now);
      const ordered = series.toSorted((a, b) => startOfBars(a) - startOfBars(b));
      return joined(withFactors(names(), instrument, ordered), size);
    },
  };
}

const ALL_TIME: CoveredSpan = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The folders that may have rows of a security, its own first; null where no name is about it. */
function folderRows(book: NameBook, instrument: Instrument, today: Millis): readonly FolderRows[] | null {
  const { market, symbol, ...line } = instrument;
  if (!symbol.includes('~') && !book.knowsKey(market, symbol) && !book.knowsName(market, symbol)) return null;
  const zone = timeZoneOf(instrument);
  const ofKey = book.history(market, symbol).filter(({ kind }) => kind !== 'code');
  const symbols = [...new Set([symbol, ...ofKey.map(({ name }) => name)])];
  const about = book.statements.filter(
    (each) => each.market === market && (symbols.includes(each.name) || symbols.includes(each.key)),
  );
  const dates = [...new Set(about.flatMap(({ from, until = FOREVER }) => [from, until]))].toSorted();
  const turns = dates.filter((date) => date > ALWAYS && date < FOREVER);
  const isOwner = ownerOn(book, { market, ...line }, localDate(today, zone));
  return symbols.flatMap((name): FolderRows[] => {
    const spans = [ALWAYS, ...turns].flatMap((date, at): CoveredSpan[] => {
      const next = turns[at];
      const from = at === 0 ? Number.NEGATIVE_INFINITY : startOf(date, zone);
      return isOwner(symbol, name, date)
        ? [{ from, to: next === undefined ? Number.POSITIVE_INFINITY : startOf(next, zone) }]
        : [];
    });
    return spans.length === 0 ? [] : [{ folder: { ...instrument, symbol: name }, spans }];
  });
}

/** Whether rows of a date, in the folder of this name, are of a security. */
function ownerOn(book: NameBook, line: Omit<Instrument, 'symbol'>, today: string) {
  const keyOf = (name: string, date: string) => book.read({ ...line, name }, date, today)?.key ?? null;
  const isThere = (key: string, date: string) => {
    const stated = book.history(line.market, key);
    return stated.length === 0 || stated.some(({ from }) => from <= date);
  };
  return (key: string, name: string, date: string): boolean => {
    const had = keyOf(name, date);
    if (name === key) return had === null || had === key || isThere(key, date);
    const named = keyOf(name, today);
    return had === key && (named === null || named === key || !isThere(named, date));
  };
}

/** The coverage of all of these folders as one; none where none of them has rows. */
async function coverageOf(
  files: MarketData,
  folders: readonly FolderRows[],
  at: Millis,
): Promise<readonly SourceCoverage[]> {
  const found = await Promise.all(
    folders.map(async ({ folder, spans }) => (await files.coverage(folder, at)).map((each) => within(each, spans))),
  );
  const covered = found.flat().filter(({ spans }) => Object.keys(spans).length > 0);
  const [first] = covered;
  if (!first) return [];
  const sizes = BAR_SIZES.flatMap((size) => {
    const all = covered.flatMap(({ spans }) => spans[size] ?? []);
    const span = { from: Math.min(...all.map(({ from }) => from)), to: Math.max(...all.map(({ to }) => to)) };
    return all.length === 0 ? [] : [[size, span] as const];
  });
  return [{ ...first, spans: Object.fromEntries(sizes) }];
}

function within(coverage: SourceCoverage, spans: readonly CoveredSpan[]): SourceCoverage {
  const clipped = BAR_SIZES.flatMap((size) => {
    const span = coverage.spans[size] ?? NOTHING;
    const cuts = spans.map(({ from, to }) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }));
    const all = cuts.filter(({ from, to }) => from < to);
    const [first, last] = [all[0], all.at(-1)];
    return first && last ? [[size, { from: first.from, to: last.to }] as const] : [];
  });
  return { ...coverage, spans: Object.fromEntries(clipped) };
}

const NOTHING: CoveredSpan = { from: 0, to: 0 };

function historyOf({ spans }: SourceCoverage, { history_from }: Listing): Millis {
  const from = spans['1d']?.from ?? Number.NEGATIVE_INFINITY;
  return Number.isFinite(from) ? from : history_from;
}

async function actionsIn(files: MarketData, { folder, spans }: FolderRows, now: Millis): Promise<KnownActions> {
  const known = (await files.actions?.(folder, now)) ?? NO_ACTIONS_KNOWN;
  const isHere = (at: Millis) => isWithinAny(at, spans);
  return {
    ...known,
    actions: known.actions.filter(({ at }) => isHere(at)),
    lists: known.lists.filter(({ from, until }) => isHere(Date.parse(from)) && isHere(Date.parse(until))),
    none: known.none.filter((date) => isHere(Date.parse(date))),
  };
}

function isWithinAny(at: Millis, spans: readonly CoveredSpan[]): boolean {
  return spans.some(({ from, to }) => from <= at && at < to);
}

/** Whether a series has bars on both sides of one, or at its place. */
function overlaps(bar: Bar): (series: BarSeries) => boolean {
  return ({ bars }) => bar.start < (bars.at(-1)?.end ?? bar.start) && bar.end > (bars[0]?.start ?? bar.end);
}

function startOfBars({ bars }: BarSeries): Millis {
  return bars[0]?.start ?? 0;
}

/** With what the renames between a series and the one before did to the units. */
function withFactors(book: NameBook, instrument: Instrument, series: readonly BarSeries[]): readonly Joint[] {
  const dateOf = (at: Millis) => localDate(at, timeZoneOf(instrument));
  return series.map((each, at) => {
    const before = series[at - 1]?.bars.at(-1);
    if (!before) return { ...each, factor: 1 };
    const [, ...renames] = book.namesOf(instrument, dateOf(before.start), dateOf(startOfBars(each) + DAY));
    return { ...each, factor: renames.reduce((product, { factor }) => product * factor, 1) };
  });
}

/** With the date since when a security has been listed, over its renames, where the source states no later one. */
export function withListingDates(source: MarketData, names: () => NameBook): MarketData {
  return {
    describe: (instrument) => source.describe(instrument),
    bars: (instrument, size, from, to, now) => source.bars(instrument, size, from, to, now),
    coverage: (instrument, at) => source.coverage(instrument, at),
    async actions(instrument, now) {
      const known = (await source.actions?.(instrument, now)) ?? NO_ACTIONS_KNOWN;
      const listed = names().listedOn(instrument);
      return listed !== null && listed > (known.listed_on ?? '') ? { ...known, listed_on: listed } : known;
    },
  };
}

/** The date from which on the last name of a security that has ended is another one's; null while it is not. */
function nameTakenOn(book: NameBook, instrument: Instrument): string | null {
  const ended = book.endedOn(instrument);
  if (ended === null) return null;
  const { symbol, ...line } = instrument;
  const name = book.nameOf(instrument, ended);
  const isAnothers = (date: string) => ![symbol, undefined].includes(book.read({ ...line, name }, date, date)?.key);
  const later = book.holdings(instrument.market, name).filter(({ from }) => from >= ended);
  return later.find(({ from }) => isAnothers(from))?.from ?? null;
}

function startOf(date: string, zone: string): Millis {
  return localToInstant(Date.parse(date), zone) ?? Date.parse(date);
}

/** The bars of one name, and what prices under the name before are multiplied by to be in its units. */
type Joint = BarSeries & { readonly factor: number };

/**
 * The factors of each stretch lead to its own newest bar, so they are multiplied by those of the stretch behind it, and by
 * what its rename or its counter did to the units: a ratio other than 1 is an action (evaluation-3.md section 4).
 */
function joined(series: readonly Joint[], size: BarSeries['size']): BarSeries {
  const [only] = series;
  if (only && series.length === 1) return { source: only.source, size, bars: only.bars, dropped: only.dropped };
  const bars: Bar[] = [];
  let [split, total] = [1, 1];
  for (const { bars: part, factor } of series.toReversed()) {
    bars.unshift(...part.map((bar) => ({ ...bar, split: bar.split * split, total: bar.total * total })));
    const [first] = part;
    if (first) [split, total] = [first.split * split, first.total * total];
    if (bars.length > 0) [split, total] = [split * factor, total * factor];
  }
  return {
    source: only?.source ?? '',
    size,
    bars,
    dropped: series.reduce((sum, { dropped }) => sum + dropped, 0),
  };
}
