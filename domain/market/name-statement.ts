import { rfc3339 } from '../time.ts';
import type { AssetClass, Market } from './venues.ts';

/** What a statement about a name says (docs/securities.md). */
export const NAME_KINDS = ['listed', 'renamed', 'reused', 'counter', 'code', 'merged', 'delisted'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** Who states it, those first that win. */
export const NAME_SOURCES = ['operator', 'exchange', 'vendor'] as const;
export type NameSource = (typeof NAME_SOURCES)[number];

/** What a name is read by: an instrument with the name in place of the symbol. */
export interface NamedLine {
  readonly market: Market;
  readonly name: string;
  readonly venue: string;
  readonly asset_class: AssetClass;
  readonly quote_currency: string;
}

/**
 * One statement about a name: from `from` on, and before `until`, both dates `YYYY-MM-DD` of the venue, the name is the
 * security `key`. Without venue, asset class or quote it holds for all of them. `merged` and `delisted` end the name at
 * `from`.
 */
export interface NameStatement {
  readonly market: Market;
  readonly name: string;
  readonly venue?: string | undefined;
  readonly asset_class?: AssetClass | undefined;
  readonly quote?: string | undefined;
  readonly from: string;
  readonly until?: string | undefined;
  readonly key: string;
  readonly kind: NameKind;
  /** How many units of the security one unit of this line is: 1,000 for 1000PEPE. */
  readonly units?: number | undefined;
  /** New units for each old one, of a rename or merger; 1 unless given. */
  readonly ratio?: number | undefined;
  /** The key of what a merger issued. */
  readonly successor?: string | undefined;
  readonly source: { readonly kind: NameSource; readonly name: string; readonly url?: string | undefined };
  /** Of a rename: the prices next to it that it was held against, in the bar store. */
  readonly prices?: RenamePrices | undefined;
}

export interface RenamePrices {
  /** The last close of the old name, and the first open of the new one. */
  readonly last_close: number;
  readonly first_open: number;
  /** A day on which both names had bars at one venue. */
  readonly both_on?: string | undefined;
}

/** A statement as it was learned. */
export interface LearnedStatement extends NameStatement {
  /** From 1, without gaps, in the order of learning. */
  readonly id: number;
  /** The same for all statements of one import, and for no other. */
  readonly learned_at: Date;
  /** The id of an earlier statement, which says the same as this one and no longer applies. */
  readonly withdraws?: number | undefined;
}

/** The members of a statement in the form of its JSON line, `id` being the number of the line. */
export function nameLine({ id, learned_at, ...said }: LearnedStatement): object {
  return { ...said, learned_at: rfc3339(learned_at) };
}

/** The statement of a line that this service wrote. */
export function statementOfLine(id: number, line: string): LearnedStatement {
  const { learned_at, ...said } = JSON.parse(line) as NameStatement & { readonly learned_at: string };
  return { ...said, id, learned_at: new Date(learned_at) };
}

/** A rename is believed as little as a price: its last close over the ratio and its first open are within this factor. */
export const RENAME_FACTOR = 1.2;

/**
 * Why a rename is not believed; null for one that is, and for other kinds. Operators and exchanges are believed without
 * prices, a vendor is not.
 */
export function renameDoubt({ kind, source, ratio = 1, prices }: NameStatement): 'waits' | 'contradicted' | null {
  if (kind !== 'renamed') return null;
  if (!prices) return source.kind === 'vendor' ? 'waits' : null;
  const [expected, found] = [prices.last_close / ratio, prices.first_open];
  const factor = Math.max(expected / found, found / expected);
  return factor <= RENAME_FACTOR && prices.both_on === undefined ? null : 'contradicted';
}

/** Whether two statements of one source say what a name is at one venue on one date. */
export function overlaps(a: NameStatement, b: NameStatement): boolean {
  if (scopeOf(a) !== scopeOf(b) || !isMapping(a) || !isMapping(b)) return false;
  return a.from < (b.until ?? FOREVER) && b.from < (a.until ?? FOREVER);
}

/** Where statements of one source may not contradict each other. */
function scopeOf({ market, name, venue, asset_class, quote, source }: NameStatement): string {
  return [market, name, venue, asset_class, quote, source.kind, source.name].join('\n');
}

/** Whether it says what a name is; the others say when it ends. */
export function isMapping({ kind }: Pick<NameStatement, 'kind'>): boolean {
  return kind !== 'merged' && kind !== 'delisted';
}

export function isWithin(date: string, { from, until = FOREVER }: Pick<NameStatement, 'from' | 'until'>): boolean {
  return from <= date && date < until;
}

export const FOREVER = '9999-12-31';

/** The number of a security among those of one key: 2 for `FB~2`, 1 for `FB`. */
export function ordinalOf(key: string): number {
  return Number(/~(\d+)$/.exec(key)?.[1] ?? 1);
}

/** The name that the key was made of: `FB` of `FB~2`. */
export function rootOf(key: string): string {
  return key.replace(/~\d+$/, '');
}

/** The lines that a statement is about; without one of them, about all. */
export type LinesMeant = Pick<LearnedStatement, 'venue' | 'asset_class' | 'quote'>;

/** What a statement weighs by: its source first, then how many lines it is about. */
type Weighed = Pick<LearnedStatement, 'source' | 'venue' | 'asset_class' | 'quote'>;

/** The one that wins comes first. */
export function byWeight(a: Weighed, b: Weighed): number {
  return rankOf(a) - rankOf(b) || specificity(b) - specificity(a);
}

export function isAsHeavy(a: Weighed, b: Weighed): boolean {
  return byWeight(a, b) === 0;
}

/** Of the source: 0 is the one that wins. */
export function rankOf({ source }: Pick<LearnedStatement, 'source'>): number {
  return NAME_SOURCES.indexOf(source.kind);
}

export function specificity({ venue, asset_class, quote }: LinesMeant): number {
  return [venue, asset_class, quote].filter((each) => each !== undefined).length;
}

/** A statement as it is stored: its number and its line, RFC 8785. */
export interface StoredName {
  readonly id: number;
  readonly line: string;
}

/** The statements that were learned about names; they stay for ever. */
export interface NameStore {
  /**
   * The id of the newest statement, and when it was learned; no other is added until the transaction ends. `now` is the
   * time after the wait for it, by the clock of the storage.
   */
  lock(): Promise<{ readonly newest: number; readonly learned_at: Date | null; readonly now: Date }>;

  /** The same lock, where no other transaction has it: whether it is held now. */
  tryLock(): Promise<boolean>;

  /**
   * Adds the statements of one import, which go on where the stored ones end. Refuses numbers with a gap, lines whose
   * `learned_at` is not one time after all stored ones, and what overlaps a statement of the same source or withdraws
   * none that stands.
   */
  add(names: readonly StoredName[]): Promise<void>;

  /** Those with a higher id, in order. */
  after(id: number): Promise<readonly StoredName[]>;
}
