import { DAY, HOUR, MINUTE, type Millis, SECOND } from '../../../domain/time.ts';

/** A file, or an option of its import, that cannot be used; the message says what to do instead. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** What a user says about a file: only what the file does not say itself. */
export interface ImportOptions {
  readonly format?: string | undefined;
  /** `5d` (trading days), `4h`, `30m` or `900s`. */
  readonly horizon?: string | undefined;
  readonly market?: string | undefined;
  readonly symbol?: string | undefined;
  readonly venue?: string | undefined;
  readonly 'asset-class'?: string | undefined;
  readonly quote?: string | undefined;
  /** IANA name. */
  readonly zone?: string | undefined;
  /** The length of the bars whose start the file names, where the decision was made at their end. */
  readonly bar?: string | undefined;
  /** Which one, of a file with several strategies or models. */
  readonly strategy?: string | undefined;
  /** Of a file without a time. */
  readonly date?: string | undefined;
  /** `member=column`, each. */
  readonly map?: readonly string[] | undefined;
}

/** A time as a file has it: an instant, or a text; a date alone is its start, or its end. */
export interface FoundTime {
  readonly at: Millis | string;
  readonly edge: 'start' | 'end';
}

/** A decision as a reader finds it in a file. Names are as the file spells them. */
export interface FoundEntry {
  readonly kind: 'entry';
  /** Where it is in the file, such as `line 12`. */
  readonly place: string;
  readonly symbol: string;
  readonly direction: 'bullish' | 'bearish' | 'neutral';
  readonly time: FoundTime;
  readonly market?: string | undefined;
  readonly venue?: string | undefined;
  readonly asset_class?: string | undefined;
  readonly quote?: string | undefined;
  /** Only where the file stated it before the outcome. */
  readonly seconds?: number | undefined;
  readonly days?: number | undefined;
  readonly external_id?: string | undefined;
  /** What made the decision, such as a strategy. */
  readonly model?: string | undefined;
  readonly confidence?: number | undefined;
  readonly factors?: readonly string[] | undefined;
  readonly summary?: string | undefined;
  readonly target?: number | undefined;
  readonly stop?: number | undefined;
}

export type Found =
  | FoundEntry
  /** What is no decision; counted by its reason. */
  | { readonly kind: 'left_out'; readonly place: string; readonly why: string }
  /** What may be a decision and cannot be read. */
  | { readonly kind: 'refused'; readonly place: string; readonly why: string };

/** What a reader makes of a file. */
export interface FoundFile {
  /** The source, as the set states it, such as `freqtrade back-test, strategy Momentum`. */
  readonly source: string;
  readonly perspective: 'technical' | 'quantitative' | 'composite' | null;
  readonly found: Iterable<Found>;
  /** Whether the file states the horizon of each decision. */
  readonly statesHorizon?: boolean;
  /** Why the times of the file name the start of bars, so that `--bar` is needed; null where they need none. */
  readonly needsBar?: string | null;
}

/** What a format is recognised by, and its reader. */
export interface Format {
  readonly name: string;
  readonly what: string;
  /** Whether these texts are of the format; a reader of CSV gets its header. */
  readonly is: (content: Content) => boolean;
  /** @throws ImportError for a file that it cannot read, or an option that is missing */
  readonly read: (content: Content, options: ImportOptions) => FoundFile;
}

/** The main text of a file, as far as it can be read. */
export interface Content {
  readonly name: string;
  readonly text: string;
  /** Of JSON; undefined for any other text. */
  readonly json: unknown;
  /** Of CSV; null for any other text. */
  readonly table: Table | null;
  /** The other texts of a zip, by name. */
  readonly others: ReadonlyMap<string, string>;
}

export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export type Json = Readonly<Record<string, unknown>>;

/** The members of an object of JSON; none for anything else. */
export function membersOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A number of JSON, or one in a text (of LEAN); undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

/** A price: more than 0. */
export function priceIn(value: unknown): number | undefined {
  const read = numberIn(value);
  return read !== undefined && read > 0 ? read : undefined;
}

/** The one of several strategies that the user named; the only one needs no name. @throws ImportError */
export function oneOf(names: readonly string[], { strategy }: ImportOptions, what: string): string {
  const known = [...new Set(names)];
  const shown = known.slice(0, 20).join(', ');
  if (strategy !== undefined) {
    if (known.includes(strategy)) return strategy;
    throw new ImportError(`The file has no ${what} ${strategy}: it has ${shown || 'none'}.`);
  }
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw new ImportError(`The file has no ${what}.`);
  throw new ImportError(
    `The file has ${known.length} of ${what}: ${shown}. Import each into a set of its own, with --strategy NAME.`,
  );
}

/** What a word of a file stands for: `constructor` and other members of every object stand for nothing. */
export function wordIn<T>(words: Readonly<Record<string, T>>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined;
}

const UNITS: Readonly<Record<string, Millis>> = { d: DAY, h: HOUR, m: MINUTE, s: SECOND };

/** A length such as `5d`, `4h`, `30m` or `900s`. @throws ImportError */
export function lengthIn(
  text: string,
  option: string,
): { readonly count: number; readonly unit: string; readonly millis: Millis } {
  const [, digits = '', unit = ''] = /^([1-9]\d{0,8})([dhms])$/.exec(text) ?? [];
  const length = UNITS[unit];
  if (length === undefined)
    throw new ImportError(`${option} needs a length such as 5d, 4h, 30m or 900s, and is ${text}.`);
  return { count: Number(digits), unit, millis: Number(digits) * length };
}
