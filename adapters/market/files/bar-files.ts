import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CorporateAction } from '../../../domain/market/adjustment.ts';
import type { BarSize } from '../../../domain/market/bars.ts';
import type { Calendar } from '../../../domain/market/calendar.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import {
  BAR_FILES,
  type KnownActions,
  type Listing,
  type MarketData,
  openCoverage,
  type SourceCoverage,
  SourceUnavailable,
} from '../../../domain/market/market-data.ts';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { type ArrangedBars, arrangeBars, parseActions, parseBars, parseNoActions, windowOf } from './bar-csv.ts';
import { folderName, instrumentPath, type Manifest, parentPath, parseManifest } from './bar-folder.ts';

const FOLDERS_IN_MEMORY = 1_000;

/** Bars held in memory at most, over all files: some 250 MB. */
const BARS_IN_MEMORY = 1_000_000;
const MANIFESTS_IN_MEMORY = 10_000;

/** One instrument's files in the store. */
interface Folder {
  readonly store: string;
  readonly path: string;
}

/**
 * Prices from the files `{store}/{market}/{venue}/{asset_class}/{symbol}-{quote}/`: `manifest.json`, a CSV of raw bars
 * per size (`1d.csv` ...) and, where there were any, `actions.csv`. A file that changes is read anew; one that is
 * malformed makes the source unavailable, with a message that names the file and the line. `coverage`, which every
 * submission asks, notices a new folder of an instrument within a second.
 */
export function barFiles(store: string): MarketData {
  const manifests = fileCache<Manifest>(MANIFESTS_IN_MEMORY, () => 1);
  const series = fileCache<ArrangedBars>(BARS_IN_MEMORY, ({ bars, lost }) => bars.length + lost.length + 1);
  const names = folderNames();
  const folderOf = (instrument: Instrument) => ({ store, path: instrumentPath(instrument) });
  return {
    async describe(instrument) {
      const manifest = await manifestOf(folderOf(instrument), manifests);
      return manifest && listingOf(manifest);
    },
    async bars(instrument, size, from, to, now) {
      const folder = folderOf(instrument);
      const manifest = await manifestOf(folder, manifests);
      if (!manifest?.sizes.includes(size)) {
        throw new SourceUnavailable(`${BAR_FILES} has no ${size} bars of ${instrumentKey(instrument)}`);
      }
      const arranged = await seriesOf(folder, size, series);
      return { source: BAR_FILES, size, ...windowOf(arranged, from, Math.min(to, now)) };
    },
    async actions(instrument) {
      const folder = folderOf(instrument);
      const manifest = await manifestOf(folder, manifests);
      return knownOf(folder, manifest, series, calendarOf(instrument));
    },
    async coverage(instrument) {
      try {
        const folders = await names(`${store}/${parentPath(instrument)}`);
        if (folders && !folders.has(folderName(instrument))) return NOTHING;
        const manifest = await manifestOf(folderOf(instrument), manifests);
        return manifest ? [coverageOf(manifest)] : NOTHING;
      } catch (error) {
        if (!(error instanceof SourceUnavailable)) throw error;
        // A manifest that cannot be read proves nothing; the evaluation reports the fault.
        return [openCoverage(BAR_FILES, () => Number.NEGATIVE_INFINITY)];
      }
    },
  };
}

const NOTHING: readonly SourceCoverage[] = [];

/** A size without a range in the manifest is taken to go on: its file may grow. */
function coverageOf({ sizes, ranges = {}, delisted_at }: Manifest): SourceCoverage {
  const spanOf = (size: BarSize) => {
    const { from, to } = ranges[size] ?? {};
    return {
      from: from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from),
      to: to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to),
    };
  };
  return {
    source: BAR_FILES,
    spans: Object.fromEntries(sizes.map((size) => [size, spanOf(size)])),
    delisted_at: delisted_at === null ? null : Date.parse(delisted_at),
  };
}

function listingOf({ sizes, cadence, history_from, delisted_at }: Manifest): Listing {
  return {
    source: BAR_FILES,
    sizes,
    cadence,
    history_from: Date.parse(history_from),
    delisted_at: delisted_at === null ? null : Date.parse(delisted_at),
  };
}

/**
 * What the operator's files say about actions: the rows of `actions.csv`, and what the adjusted closes account for.
 * Without a manifest, next to no bars, the rows say nothing of other dates.
 */
async function knownOf(
  folder: Folder,
  manifest: Manifest | null,
  cache: FileCache<ArrangedBars>,
  calendar: Calendar,
): Promise<KnownActions> {
  const isThere = (await stateOf(folder, 'actions.csv')) !== null;
  const actions = isThere ? await contents(folder, 'actions.csv', parseActions) : [];
  const none = isThere ? await contents(folder, 'actions.csv', parseNoActions) : [];
  if (!manifest) return knownFrom(calendar, { actions, none, adjusted: null, from: null });
  const { sizes, history_from, actions_until, listed_on } = manifest;
  const adjusted = sizes.includes('1d') ? (await seriesOf(folder, '1d', cache)).adjusted : null;
  return knownFrom(calendar, { actions, none, adjusted, from: Date.parse(history_from), actions_until, listed_on });
}

/** What files state about the actions of an instrument. */
interface StatedActions {
  readonly actions: readonly CorporateAction[];
  /** The opens of sessions without an action. */
  readonly none: readonly Millis[];
  readonly adjusted: ArrangedBars['adjusted'];
  /** The start of the oldest bar; null without any: then the rows say nothing of other dates. */
  readonly from: Millis | null;
  readonly actions_until?: string | undefined;
  readonly listed_on?: string | undefined;
}

/** A list of actions says nothing about dates after its last row, unless `actions_until` does (evaluation-3.md section 1). */
export function knownFrom(
  calendar: Calendar,
  { actions, none, adjusted, from, actions_until, listed_on }: StatedActions,
): KnownActions {
  const dateOf = (at: Millis) => calendar.currentOrNext(at).date;
  const newest = [...actions.map(({ at }) => at), ...none].toSorted((a, b) => a - b).at(-1);
  const until = actions_until ?? (newest === undefined ? undefined : dateOf(newest));
  return {
    actions: actions.map((action) => ({ ...action, source: BAR_FILES })),
    lists: [
      ...(adjusted ? [{ source: BAR_FILES, from: dateOf(adjusted.from), until: dateOf(adjusted.until) }] : []),
      ...(until === undefined || from === null ? [] : [{ source: BAR_FILES, from: dateOf(from), until }]),
    ],
    none: none.map(dateOf),
    listed_on: listed_on ?? null,
  };
}

async function manifestOf(folder: Folder, cache: FileCache<Manifest>): Promise<Manifest | null> {
  const state = await stateOf(folder, 'manifest.json');
  if (state === null) return null;
  return cache(folder.path, state, () => contents(folder, 'manifest.json', async (text) => parseManifest(text)));
}

/** The factors rest on the daily file and the actions too: whichever changes, the series is put together anew. */
async function seriesOf(folder: Folder, size: BarSize, cache: FileCache<ArrangedBars>): Promise<ArrangedBars> {
  const states = await Promise.all([`${size}.csv`, '1d.csv', 'actions.csv'].map((file) => stateOf(folder, file)));
  const [, daily, actions] = states;
  return cache(join(folder.path, size), states.join(), async () => {
    const rows = await contents(folder, `${size}.csv`, (text) => parseBars(text, size));
    return arrangeBars(
      rows,
      size === '1d' || daily === null ? rows : await contents(folder, '1d.csv', (text) => parseBars(text, '1d')),
      actions === null ? [] : await contents(folder, 'actions.csv', parseActions),
    );
  });
}

/** What changes when the file does; null when there is none, or could be none of that name. */
async function stateOf({ store, path }: Folder, file: string): Promise<string | null> {
  try {
    const { ino, mtimeMs, size } = await stat(join(store, path, file));
    return `${ino}:${mtimeMs}:${size}`;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw unavailable(path, file, error);
  }
}

async function contents<T>({ store, path }: Folder, file: string, parse: (text: string) => Promise<T>): Promise<T> {
  try {
    return await parse(await readFile(join(store, path, file), 'utf8'));
  } catch (error) {
    throw unavailable(path, file, error);
  }
}

/** Names the file below the store only: the message may reach logs, and the store's place is nobody's business. */
function unavailable(path: string, file: string, error: unknown): SourceUnavailable {
  const { code, message } = error as NodeJS.ErrnoException;
  return new SourceUnavailable(`bars/${join(path, file)} ${code ?? message}`, { cause: error });
}

/** The names in a folder; empty when there is no such folder, null when it cannot be read. */
type FolderNames = (path: string) => Promise<ReadonlySet<string> | null>;

interface Reading {
  readonly until: Millis;
  readonly names: Promise<ReadonlySet<string> | null>;
}

/**
 * Reads a folder at most once a second, so a change is noticed a second late. A caller that only needs to know that a
 * file is absent then asks the file system once a second for a whole folder.
 * @param monotonic milliseconds of a clock of this machine that nobody sets
 */
export function folderNames(monotonic: () => Millis = () => performance.now()): FolderNames {
  const readings = new Map<string, Reading>();
  return (path) => {
    const known = readings.get(path);
    if (known && monotonic() < known.until) return known.names;
    if (readings.size >= FOLDERS_IN_MEMORY) readings.clear();
    const names = namesIn(path);
    readings.set(path, { until: monotonic() + SECOND, names });
    return names;
  };
}

async function namesIn(path: string): Promise<ReadonlySet<string> | null> {
  try {
    return new Set(await readdir(path));
  } catch (error) {
    return isAbsence(error) ? new Set() : null;
  }
}

/** Whether a path leads to nothing, or could lead to nothing. */
function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** What was read from files, kept as long as they have not changed and there is room. */
type FileCache<T> = (key: string, fingerprint: string, load: () => Promise<T>) => Promise<T>;

interface Entry<T> {
  readonly fingerprint: string;
  readonly value: Promise<T>;
  weight: number;
}

/**
 * Callers that ask for the same files at once share one reading of them; a reading that fails is not kept. Beyond
 * `capacity` (in units of `weigh`) what was used longest ago goes first; the last one
 * used stays, however heavy.
 */
export function fileCache<T>(capacity: number, weigh: (value: T) => number): FileCache<T> {
  const entries = new Map<string, Entry<T>>();
  return (key, fingerprint, load) => {
    const known = entries.get(key);
    const entry = known?.fingerprint === fingerprint ? known : { fingerprint, value: load(), weight: 0 };
    entries.delete(key);
    entries.set(key, entry);
    if (entry !== known) settle(entries, key, entry, weigh, capacity);
    return entry.value;
  };
}

function settle<T>(
  entries: Map<string, Entry<T>>,
  key: string,
  entry: Entry<T>,
  weigh: (value: T) => number,
  capacity: number,
): void {
  entry.value.then(
    (value) => {
      entry.weight = weigh(value);
      shrink(entries, capacity);
    },
    () => {
      if (entries.get(key) === entry) entries.delete(key);
    },
  );
}

function shrink<T>(entries: Map<string, Entry<T>>, capacity: number): void {
  let excess = [...entries.values()].reduce((sum, { weight }) => sum + weight, -capacity);
  for (const [key, { weight }] of entries) {
    if (excess <= 0 || entries.size === 1) return;
    if (weight > 0) entries.delete(key);
    excess -= weight;
  }
}
