import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CorporateAction } from '../../../domain/market/adjustment.ts';
import { BAR_SIZES, type BarSize, type RawBar } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { HOUR, type Millis, rfc3339 } from '../../../domain/time.ts';
import { giveToFolder } from '../../files/folder-owner.ts';
import { formatActions, formatBars, parseBars } from './bar-csv.ts';
import { instrumentPath, type Manifest, parseManifest } from './bar-folder.ts';

const STAGING = '.staging-';

/** Bars of one size that an operator wants in the store. */
export interface BarImport {
  readonly instrument: Instrument;
  readonly size: BarSize;
  /** Ascending, never overlapping, not empty. */
  readonly bars: readonly RawBar[];
  /** null leaves the ones that are there. */
  readonly actions: readonly CorporateAction[] | null;
  /** Instants of the dates without an action; they come with the actions. */
  readonly none?: readonly Millis[];
  /** `YYYY-MM-DD`; what is not given stays as it is. */
  readonly actions_until?: string | undefined;
  readonly listed_on?: string | undefined;
  readonly about: Pick<Manifest, 'time_zone' | 'cadence'>;
  readonly source: string;
  readonly licence: string;
  readonly imported_at: Date;
}

/** The sizes that the store has of the instrument. */
export async function storedSizes(store: string, instrument: Instrument): Promise<readonly BarSize[]> {
  return (await heldManifest(store, instrument))?.sizes ?? [];
}

/** What bars of any size of an instrument are adjusted and listed by. */
export interface StoredHistory extends Pick<Manifest, 'actions_until' | 'listed_on'> {
  readonly daily: readonly RawBar[];
  /** The text of `actions.csv`; null where there is none. */
  readonly actions: string | null;
}

/** What the store has of that; without the instrument nothing. */
export async function storedHistory(store: string, instrument: Instrument): Promise<StoredHistory> {
  const held = await heldFiles(store, instrument);
  const manifest = await heldManifest(store, instrument);
  return {
    ...dateOf('actions_until', manifest?.actions_until),
    ...dateOf('listed_on', manifest?.listed_on),
    daily: await parseBars(held['1d.csv'] ?? EMPTY, '1d'),
    actions: held['actions.csv'] ?? null,
  };
}

/** Puts the bars beside what the store has of the instrument, in place of bars of that size; the folder changes as a whole. */
export async function importBars(store: string, wanted: BarImport): Promise<void> {
  const { instrument, size, bars, actions } = wanted;
  const held = await heldFiles(store, instrument);
  const manifest = await manifestOf(wanted, await heldManifest(store, instrument), held);
  await install(store, instrumentPath(instrument), {
    ...held,
    [`${size}.csv`]: formatBars(bars),
    ...(actions ? { 'actions.csv': formatActions(actions, wanted.none) } : {}),
    'manifest.json': `${JSON.stringify({ ...manifest, imported_at: rfc3339(wanted.imported_at) }, null, 2)}\n`,
  });
}

async function manifestOf(
  { size, bars, about, source, licence, actions_until, listed_on }: BarImport,
  before: Manifest | null,
  held: Readonly<Record<string, string>>,
): Promise<Manifest> {
  const sizes = BAR_SIZES.filter((each) => each === size || before?.sizes.includes(each));
  const daily = size === '1d' ? bars : await parseBars(held['1d.csv'] ?? EMPTY, '1d');
  const oldest = Math.min(...[...daily.slice(0, 1), ...bars.slice(0, 1)].map(({ start }) => start));
  const others = before?.sizes.some((each) => each !== size) ? before : null;
  return {
    source: others ? `${others.source}; ${size}: ${source}` : source,
    licence: others ? `${others.licence}; ${size}: ${licence}` : licence,
    ...about,
    ...(before ? { cadence: before.cadence } : {}),
    sizes,
    ranges: { ...before?.ranges, [size]: rangeOf(bars) },
    history_from: rfc3339(daily[0]?.start ?? oldest),
    delisted_at: before?.delisted_at ?? null,
    ...dateOf('actions_until', actions_until ?? before?.actions_until),
    ...dateOf('listed_on', listed_on ?? before?.listed_on),
  };
}

function dateOf(field: 'actions_until' | 'listed_on', date: string | undefined): Partial<Manifest> {
  return date === undefined ? {} : { [field]: date };
}

function rangeOf(bars: BarImport['bars']): { readonly from: string; readonly to: string } {
  const [first, last] = [bars.at(0), bars.at(-1)];
  if (!first || !last) throw new RangeError('An import has bars');
  return { from: rfc3339(first.start), to: rfc3339(last.end) };
}

const EMPTY = 'start,end,open,high,low,close,volume\n';

async function heldManifest(store: string, instrument: Instrument): Promise<Manifest | null> {
  const { 'manifest.json': text } = await heldFiles(store, instrument);
  return text === undefined ? null : parseManifest(text);
}

async function heldFiles(store: string, instrument: Instrument): Promise<Readonly<Record<string, string>>> {
  const folder = join(store, instrumentPath(instrument));
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}

/**
 * Whether the store holds this very manifest for the instrument, or bars that an operator has imported, which packaged
 * ones never replace: so nothing is to be done.
 */
export async function holds(store: string, folder: string, manifest: string): Promise<boolean> {
  const held = await readFile(join(store, folder, 'manifest.json'), 'utf8').catch(unlessAbsent);
  return held === manifest || (held !== undefined && isImported(held));
}

function isImported(manifest: string): boolean {
  try {
    return 'imported_at' in JSON.parse(manifest);
  } catch {
    return false;
  }
}

/**
 * Puts an instrument's files into the store, in place of those that were there. They are written aside and moved by
 * one rename, so that a crash leaves the folder whole or absent; of two that install at once either may win.
 */
export async function install(store: string, folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(dirname(join(store, folder)), { recursive: true });
  await sweep(store);
  const staging = await mkdtemp(join(store, STAGING));
  try {
    const fresh = join(staging, 'fresh');
    await mkdir(fresh);
    for (const [name, text] of Object.entries(files)) await writeFile(join(fresh, name), text, { flush: true });
    await rename(join(store, folder), join(staging, 'replaced')).catch(unlessAbsent);
    await rename(fresh, join(store, folder)).catch(unlessTaken);
    giveInstalled(store, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Bars that root installs belong to the owner of the store, down from the store itself, which may be new too. */
function giveInstalled(store: string, folder: string): void {
  const parts = folder.split('/');
  for (const [depth] of ['', ...parts].entries()) {
    giveToFolder(join(store, ...parts.slice(0, depth)), { below: depth === parts.length });
  }
}

/** What a crash left behind; younger ones may belong to another process at work. */
async function sweep(store: string): Promise<void> {
  for (const name of await readdir(store)) {
    if (!name.startsWith(STAGING)) continue;
    const state = await stat(join(store, name)).catch(unlessAbsent);
    if (state && Date.now() - state.mtimeMs > HOUR) await rm(join(store, name), { recursive: true, force: true });
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function unlessTaken(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
}
