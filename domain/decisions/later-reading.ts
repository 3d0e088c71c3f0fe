import { groupedBy } from '../market/bars.ts';
import { timeZoneOf } from '../market/calendars/by-venue.ts';
import type { Instrument } from '../market/instrument.ts';
import { type NamesOf, namesOfSource } from '../market/market-data.ts';
import { type NameBook, nameBook } from '../market/name-book.ts';
import type { LearnedStatement } from '../market/name-statement.ts';
import { normaliseSymbol } from '../market/symbol.ts';
import type { Market } from '../market/venues.ts';
import { DAY, MINUTE } from '../time.ts';
import { localDate } from '../zoned-time.ts';
import type { Decision, LaterReading } from './decision.ts';

/** Which prices a grade is by. */
export interface GradedBy {
  readonly at: Date;
  readonly source: string;
  /** How the source named the security; undefined of grades from before that was noted. */
  readonly names?: NamesOf | undefined;
}

/** What a record says of the security that it is about; `symbol` is what it counts under. */
export interface ReadRecord
  extends Instrument,
    LaterReading,
    Pick<Decision, 'record_id' | 'submitted_symbol' | 'name' | 'anchor_time' | 'end_time' | 'submission_time'> {
  /** Whether its owner was erased: the symbol as sent is gone. */
  readonly erased: boolean;
  /** null until it is graded. */
  readonly graded: GradedBy | null;
}

/** What a record counts under by the names that are known now (securities.md section 3). */
export interface CountedUnder {
  readonly record_id: string;
  readonly symbol: string;
  /** Whether its grade is by the prices of another security. */
  readonly wrong_security: boolean;
}

/** The securities of a market whose records may be read otherwise since some statements were learned or withdrawn. */
export interface ConcernedKeys {
  readonly market: Market;
  readonly symbols: readonly string[];
}

/** Those that statements of the book, the `newer` ones among them, can be about. */
export function concernedKeys(book: NameBook, newer: readonly LearnedStatement[]): readonly ConcernedKeys[] {
  const markets = groupedBy(newer, ({ market }) => market);
  return [...markets].map(([market, said]) => {
    const all = book.statements.filter((each) => each.market === market);
    const keys = new Set(said.map(({ key }) => key));
    const names = new Set([...said.map(({ name }) => name), ...keys]);
    for (const each of all) if (keys.has(each.key)) names.add(each.name);
    const symbols = new Set(names);
    for (const each of all) if (names.has(each.name)) symbols.add(each.key);
    return { market, symbols: [...symbols].toSorted() };
  });
}

/** What the filter of a cohort says of the security of its records; undefined: of any. */
interface FilteredSecurity {
  readonly market: Market;
  readonly symbol?: string | undefined;
  readonly cohort_key?: string | undefined;
}

/** Whether records may have come into a cohort, or left it, as others count of these securities. */
export function mayHaveMoved(
  concerned: readonly ConcernedKeys[],
  { market, symbol, cohort_key }: FilteredSecurity,
): boolean {
  const key = symbol?.toLowerCase() ?? cohort_key?.split(':')[1];
  return concerned.some(
    (each) => each.market === market && (key === undefined || each.symbols.some((one) => one.toLowerCase() === key)),
  );
}

/** Reads records by the names as they are known now, and as they were known at any time before. */
export interface LaterReader {
  read(record: ReadRecord): CountedUnder;
}

export function laterReader(book: NameBook): LaterReader {
  const bookAt = earlierBooks(book);
  const dateOf = datesOf();
  // A market may have millions of records under one key, few of which differ in more than the hour.
  const known = remembering<string, Omit<CountedUnder, 'record_id'>>(50_000);
  return {
    read(record) {
      const { record_id, market, venue, asset_class, quote_currency, submitted_symbol, name, erased, graded } = record;
      const zone = timeZoneOf(record);
      const times = [record.anchor_time, record.end_time, record.submission_time, ...(graded ? [graded.at] : [])];
      const dates = times.map((at) => dateOf(zone, at));
      const knownThen = [...booksOfReceipt(bookAt, record.submission_time), ...(graded ? [bookAt(graded.at)] : [])];
      const books = knownThen.map(({ newest }) => newest);
      const line = [market, venue, asset_class, quote_currency, submitted_symbol, name, erased];
      const received = record.received_symbol ?? record.symbol;
      const key = [...line, received, ...dates, ...books, graded?.source, graded?.names].join('\n');
      return { record_id, ...known(key, () => readAnew(record)) };
    },
  };

  function readAnew(record: ReadRecord): Omit<CountedUnder, 'record_id'> {
    const { graded } = record;
    const received = record.received_symbol ?? record.symbol;
    const sent = sentName(record, received, booksOfReceipt(bookAt, record.submission_time));
    const symbol = readBy(book, record, sent) ?? received;
    if (graded === null) return { symbol, wrong_security: false };
    const then = bookAt(graded.at);
    const gradedAs = { ...record, symbol: readBy(then, record, sent) ?? received };
    return { symbol, wrong_security: isByOthers(gradedAs, graded, { known: then, book }, symbol) };
  }
}

/** The date of a time in a zone. Zones change their date, and their offset, at a quarter of an hour. */
function datesOf(): (zone: string, at: Date) => string {
  const known = remembering<string, string>(50_000);
  return (zone, at) =>
    known(`${zone} ${Math.floor(at.getTime() / (15 * MINUTE))}`, () => localDate(at.getTime(), zone));
}

/** Computes a value once for each key. When there are `most` it forgets them all, so that any number of records fits. */
export function remembering<Key, Value>(most: number): (key: Key, compute: () => Value) => Value {
  const known = new Map<Key, { readonly value: Value }>();
  return (key, compute) => {
    const found = known.get(key);
    if (found) return found.value;
    const value = compute();
    if (known.size >= most) known.clear();
    known.set(key, { value });
    return value;
  };
}

/** The book with the statements that were learned by a time. */
export function earlierBooks(book: NameBook): (at: Date) => NameBook {
  const books = remembering<number, NameBook>(100);
  // As numbers, which are compared much faster, and in the order in which they were learned.
  const times = book.statements.map(({ learned_at }) => learned_at.getTime());
  return (at) => {
    const time = at.getTime();
    const length = times.findLastIndex((learned) => learned <= time) + 1;
    if (length === book.statements.length) return book;
    return books(length, () => nameBook(book.statements.slice(0, length)));
  };
}

/**
 * Those by one of which a record was read at receipt. Statements are learned when their import begins, and submissions are
 * read by them when it has ended.
 */
function booksOfReceipt(bookAt: (at: Date) => NameBook, at: Date): readonly NameBook[] {
  const then = bookAt(at);
  const began = then.statements.at(-1)?.learned_at.getTime();
  const isUnderWay = began !== undefined && at.getTime() - began < LONGEST_IMPORT;
  return isUnderWay ? [then, bookAt(new Date(began - 1))] : [then];
}

/** From when its statements say that they were learned to when they and what they move appear. */
export const LONGEST_IMPORT = DAY;

/**
 * The name by which a record was sent, where that is what it was read as at receipt; else the name that the security had on
 * the date of the anchor, else its key.
 */
function sentName(record: ReadRecord, received: string, books: readonly NameBook[]): string {
  const { market, quote_currency, venue, name } = record;
  const isNameOfCoin = (coin: string) => books.some((each) => each.knowsName(market, coin));
  // A pair without a separator was read by the coins that were known: these are.
  const coins = { knowsCoin: (coin: string) => coin === received || coin === name || isNameOfCoin(coin) };
  const normalised = record.erased
    ? null
    : normaliseSymbol(record.submitted_symbol, { market, quote_currency, coins, venue });
  const names = [normalised, name, received].filter((each) => typeof each === 'string');
  return names.find((each) => books.some((then) => readBy(then, record, each) === received)) ?? received;
}

/** Which security a name was on the date of the anchor; null where nobody had it. The date of receipt is today. */
function readBy(
  book: NameBook,
  record: Pick<ReadRecord, keyof Instrument | 'anchor_time' | 'submission_time'>,
  name: string,
): string | null {
  const { market, venue, asset_class, quote_currency, anchor_time, submission_time } = record;
  const zone = timeZoneOf(record);
  const [date, today] = [anchor_time, submission_time].map((at) => localDate(at.getTime(), zone));
  if (date === undefined || today === undefined) return null;
  return book.read({ market, venue, asset_class, quote_currency, name }, date, today)?.key ?? null;
}

interface Books {
  /** What was known when the prices were fetched. */
  readonly known: NameBook;
  readonly book: NameBook;
}

/**
 * Whether a name by which the source was asked is another security: on the day of the grade where the source names all prices
 * by the names of today, else on the days of the window.
 */
function isByOthers(
  gradedAs: Pick<ReadRecord, keyof Instrument | 'anchor_time' | 'end_time'>,
  { at, ...graded }: GradedBy,
  { known, book }: Books,
  symbol: string,
): boolean {
  const { market, venue, asset_class, quote_currency, anchor_time, end_time } = gradedAs;
  const dateOf = (time: Date) => localDate(time.getTime(), timeZoneOf(gradedAs));
  const instrument = { market, symbol: gradedAs.symbol, venue, asset_class, quote_currency };
  const isOfNames = gradedAs.symbol.includes('~') || known.knowsKey(market, gradedAs.symbol);
  const [from, until] = [dateOf(anchor_time), dateOf(end_time)];
  const asked =
    (graded.names ?? namesOfSource(graded.source)) === 'today'
      ? [{ name: isOfNames ? known.nameOf(instrument, dateOf(at)) : gradedAs.symbol, date: dateOf(at) }]
      : isOfNames && from < until
        ? known.namesOf(instrument, from, until).map((each) => ({ name: each.name, date: each.from }))
        : [{ name: isOfNames ? known.nameOf(instrument, from) : gradedAs.symbol, date: from }];
  return asked.some(({ name, date }) => {
    const line = { market, venue, asset_class, quote_currency, name };
    // What nobody had is nobody's price: the source knew better.
    const reading = book.read(line, date, date);
    return reading !== null && reading.key !== symbol;
  });
}

/** What everybody may see of a graded decision: times of receipt and grade are to the minute. */
export interface PubliclyRead extends Instrument, Pick<ReadRecord, 'anchor_time' | 'end_time' | 'submission_time'> {
  /** Rounded up. */
  readonly graded: GradedBy;
}

/** Whether a statement is about the symbol that a decision was read as. */
export function isNamed(book: NameBook, { market, symbol }: Pick<Instrument, 'market' | 'symbol'>): boolean {
  return symbol.includes('~') || book.knowsKey(market, symbol) || book.knowsName(market, symbol);
}

/**
 * What a graded decision may count under by these names, as `laterReader` has it: nobody but its owner sees the name by which
 * it was sent, or the second of a receipt. Mostly one.
 * @param record with the symbol that it was read as at receipt
 */
export function possibleReadings(book: NameBook, record: PubliclyRead): readonly Omit<CountedUnder, 'record_id'>[] {
  const { market, symbol: received, submission_time, graded } = record;
  const bookAt = earlierBooks(book);
  const date = localDate(record.anchor_time.getTime(), timeZoneOf(record));
  const minutes = (of: Date, later: number) => new Date(of.getTime() + later * MINUTE);
  const books = [submission_time, minutes(submission_time, 1)].flatMap((at) => booksOfReceipt(bookAt, at));
  const found = [...new Set(books)].flatMap((then) => {
    const stated = then.statements.filter((each) => each.market === market && each.key === received);
    const names = new Set([received, then.nameOf(record, date), ...stated.map(({ name }) => name)]);
    const sent = [...names].filter((name) => readBy(then, record, name) === received);
    return (sent.length > 0 ? sent : [received]).flatMap((name) => {
      const symbol = readBy(book, record, name) ?? received;
      return [minutes(graded.at, -1), graded.at].map((graded_at) => {
        const known = bookAt(graded_at);
        const gradedAs = { ...record, symbol: readBy(known, record, name) ?? received };
        const by = { ...graded, at: graded_at };
        return { symbol, wrong_security: isByOthers(gradedAs, by, { known, book }, symbol) };
      });
    });
  });
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** The same cohort key of another symbol. */
export function cohortKeyWith(cohort_key: string, symbol: string): string {
  const [market, , ...rest] = cohort_key.split(':');
  return [market, symbol.toLowerCase(), ...rest].join(':');
}

type Unended = Pick<Decision, 'lifecycle_state' | 'due_at' | 'attempts' | 'last_error'>;

/**
 * How a record goes on that counts under another security now: what ended without an outcome is tried again, as after a
 * refresh of its instrument, and what waits is tried as soon as its prices are settled.
 */
export function triedAgain({ lifecycle_state, ...record }: Unended & Pick<Decision, 'settles_at'>, now: Date): Unended {
  const { due_at, attempts, last_error, settles_at } = record;
  const anew = { attempts: 0, last_error: null };
  switch (lifecycle_state) {
    case 'rejected':
      return { ...anew, lifecycle_state: 'pending_verify', due_at };
    case 'data_unavailable':
    case 'evaluating':
      return { ...anew, lifecycle_state: 'evaluating', due_at: now };
    case 'verified':
    case 'deferred': {
      const soonest = Math.max(settles_at.getTime(), now.getTime());
      return { ...anew, lifecycle_state, due_at: due_at && new Date(Math.min(due_at.getTime(), soonest)) };
    }
    case 'pending_verify':
      return { ...anew, lifecycle_state, due_at };
    case 'evaluated':
    case 'quarantined':
      return { lifecycle_state, due_at, attempts, last_error };
  }
}

export interface Counted {
  /** How many records. */
  readonly changed: number;
  /** By a fault of ours, for all changes are computed. */
  readonly refused: readonly { readonly record_id: string; readonly fault: unknown }[];
}

/** The records that names are about, in a transaction that learns or withdraws statements. */
export interface NamedRecords {
  /**
   * Grades under way have ended, and none is written until the transaction ends: one that was planned before is planned
   * again.
   */
  holdGrades(): Promise<void>;

  /** The same of submissions. Called last: they wait. */
  holdSubmissions(): Promise<void>;

  /** Hands over, in parts, the records that count under these keys. @param since received at or after it; null: all */
  read(keys: ConcernedKeys, since: Date | null, take: (records: readonly ReadRecord[]) => void): Promise<void>;

  /**
   * Counts records under these symbols from now on, and those with `wrong_security` in no cohort: what was received stays.
   * An evaluation under way by another symbol loses its lease, and what has no outcome goes on as `triedAgain` says. A
   * symbol that no name says is refused: that record stays as it is, and the others change.
   */
  count(changes: readonly CountedUnder[]): Promise<Counted>;

  /** Removes cached bars of these securities: they were fetched by other names. */
  forgetBars(keys: ConcernedKeys): Promise<void>;
}

/** Whether a record counts otherwise than stored. */
export function isChange(record: ReadRecord, { symbol, wrong_security }: CountedUnder): boolean {
  return record.symbol !== symbol || (record.wrong_security ?? false) !== wrong_security;
}
