import { readdir } from 'node:fs/promises';
import { BAR_SIZES, type BarSize } from '../../../domain/market/bars.ts';
import { type Instrument, listingCode, normaliseInstrument } from '../../../domain/market/instrument.ts';
import { TABLE_VENUES } from '../../../domain/market/venues.ts';

/** `manifest.json` of one instrument's folder: where its bars come from and what there is of them. */
export interface Manifest {
  readonly source: string;
  readonly licence: string;
  /** IANA name of the zone in which the source counts its days. */
  readonly time_zone: string;
  readonly sizes: readonly BarSize[];
  /** The first start and the last end of the bars of a size. A size without a range may grow by further bars. */
  readonly ranges?: BarRanges;
  readonly cadence: 'continuous' | 'end_of_day';
  /** RFC 3339. */
  readonly history_from: string;
  readonly delisted_at: string | null;
  /** `YYYY-MM-DD`: up to this date `actions.csv` has every action; without it, up to its newest row. */
  readonly actions_until?: string;
  /** `YYYY-MM-DD`: the history before this date is that of another security under the same symbol. */
  readonly listed_on?: string;
}

/** RFC 3339. */
export type BarRanges = Readonly<Partial<Record<BarSize, { readonly from: string; readonly to: string }>>>;

/**
 * Where an instrument's files lie below the store: `{market}/{venue}/{asset_class}/{symbol}-{quote}`. Whatever a
 * caller sent as a symbol stays one folder name: all but letters, digits and inner dots is percent-encoded, so that
 * nothing leads out of the store and two symbols never share a folder.
 */
export function instrumentPath(instrument: Instrument): string {
  return `${parentPath(instrument)}/${folderName(instrument)}`;
}

/** The folder of all instruments of the same venue and kind, below the store. */
export function parentPath({ market, venue, asset_class }: Instrument): string {
  return `${segment(market)}/${segment(venue)}/${segment(asset_class)}`;
}

/** The name of the instrument's folder in `parentPath`. */
export function folderName({ symbol, quote_currency }: Instrument): string {
  // The folder of an index of Shanghai is named by its code.
  return `${segment(listingCode(symbol))}-${segment(quote_currency)}`;
}

/** Every instrument of the store, of the venues of the table, whose folder name can be read back; none when there is no store yet. */
export async function instrumentsIn(store: string): Promise<readonly Instrument[]> {
  const entries = await readdir(store, { recursive: true }).catch(emptyWhenAbsent);
  return entries
    .map((path) => path.split(/[/\\]/))
    .filter((path) => path.length === 5 && path[4] === 'manifest.json')
    .flatMap(instrumentAt);
}

/** @throws TypeError saying what is wrong */
export function parseManifest(text: string): Manifest {
  const sent: unknown = JSON.parse(text);
  if (typeof sent !== 'object' || sent === null) throw new TypeError('is not an object');
  const read = (field: keyof Manifest): unknown => (sent as Readonly<Record<string, unknown>>)[field];
  return {
    source: textOf(read, 'source'),
    licence: textOf(read, 'licence'),
    time_zone: textOf(read, 'time_zone'),
    sizes: sizesOf(read('sizes')),
    ranges: rangesOf(read('ranges')),
    cadence: cadenceOf(read('cadence')),
    history_from: timeOf(read, 'history_from'),
    delisted_at: read('delisted_at') === null ? null : timeOf(read, 'delisted_at'),
    ...dateOf(read, 'actions_until'),
    ...dateOf(read, 'listed_on'),
  };
}

function segment(text: string): string {
  if (PLAIN.test(text)) return text;
  return Array.from(Buffer.from(text, 'utf8'), (byte, index) => {
    const letter = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9]/.test(letter) || (letter === '.' && index > 0);
    return plain ? letter : `%${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

/** The text of a segment; a folder that has another name stays as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PLAIN = /^[A-Za-z0-9][A-Za-z0-9.]*$/;

function instrumentAt([market = '', venue = '', asset_class = '', folder = '']: readonly string[]): Instrument[] {
  const [symbol = '', quote_currency = ''] = folder.split('-').map(unescaped);
  const instrument = normaliseInstrument({ market, venue, asset_class, symbol, quote_currency }, TABLE_VENUES);
  return Array.isArray(instrument) ? [] : [instrument];
}

function emptyWhenAbsent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

type Read = (field: keyof Manifest) => unknown;

function textOf(read: Read, field: keyof Manifest): string {
  const value = read(field);
  if (typeof value !== 'string' || value === '') throw new TypeError(`${field} is not a text`);
  return value;
}

function timeOf(read: Read, field: keyof Manifest): string {
  const text = textOf(read, field);
  if (!isTime(text)) throw new TypeError(`${field} is not an RFC 3339 time`);
  return text;
}

function dateOf(read: Read, field: 'actions_until' | 'listed_on'): Partial<Pick<Manifest, typeof field>> {
  const value = read(field);
  if (value === undefined) return {};
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && isTime(value)) return { [field]: value };
  throw new TypeError(`${field} is not a date such as 2021-01-28`);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function rangesOf(value: unknown = {}): BarRanges {
  if (typeof value !== 'object' || value === null) throw new TypeError('ranges is not an object');
  return Object.fromEntries(Object.entries(value).map(([size, range]) => [sizeOf(size), rangeOf(size, range)]));
}

function rangeOf(size: string, value: unknown): { readonly from: string; readonly to: string } {
  const { from, to } = Object(value) as Readonly<Record<string, unknown>>;
  if (!isTime(from) || !isTime(to) || Date.parse(from) >= Date.parse(to)) {
    throw new TypeError(`ranges.${size} is not { from, to } of RFC 3339 times, from before to`);
  }
  return { from, to };
}

function sizeOf(value: string): BarSize {
  const size = BAR_SIZES.find((each) => each === value);
  if (!size) throw new TypeError(`ranges contains ${value}, which is not one of ${BAR_SIZES.join(', ')}`);
  return size;
}

function sizesOf(value: unknown): readonly BarSize[] {
  const sizes = BAR_SIZES.filter((size) => Array.isArray(value) && value.includes(size));
  if (!Array.isArray(value) || sizes.length === 0 || sizes.length !== value.length) {
    throw new TypeError(`sizes is not a list of ${BAR_SIZES.join(', ')}`);
  }
  return sizes;
}

function cadenceOf(value: unknown): Manifest['cadence'] {
  if (value !== 'continuous' && value !== 'end_of_day')
    throw new TypeError('cadence is neither continuous nor end_of_day');
  return value;
}
