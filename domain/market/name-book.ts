import { groupedBy } from './bars.ts';
import type { Instrument } from './instrument.ts';
import {
  byWeight,
  FOREVER,
  isAsHeavy,
  isMapping,
  isWithin,
  type LearnedStatement,
  type LinesMeant,
  type NamedLine,
  rankOf,
  renameDoubt,
  rootOf,
  specificity,
} from './name-statement.ts';
import type { Market } from './venues.ts';

/** From `from` on, and before `until`, a name was the security `key`. */
export interface Holding {
  readonly name: string;
  readonly key: string;
  readonly from: string;
  readonly until: string | null;
}

/** A time in which a security had one name. */
export interface Stretch extends Holding {
  /** What prices under the name before are multiplied by, to be in the units of this one; 1 for the first. */
  readonly factor: number;
}

/** What a name was read as. */
export interface Reading {
  /** Of the security. */
  readonly key: string;
  /** Its name on the date, at the venue. */
  readonly name: string;
  /** The date from which on the reading may differ; null: never, as far as is known. */
  readonly until: string | null;
  /** How many units of the security one unit of this line is: prices and targets are per unit of the line. */
  readonly units: number;
  /** What the name was, or is, on other dates. */
  readonly others: readonly Holding[];
  /** What it is on the date too: on other lines, or by statements that weigh less. */
  readonly also: readonly Holding[];
}

/** What a filter names: a key, or a name on a date; members that it does not pin are undefined. */
export type NamedFilter = Pick<NamedLine, 'market' | 'name'> & {
  readonly [Pin in 'venue' | 'asset_class' | 'quote_currency']?: NamedLine[Pin] | undefined;
};

/** What a filter was read as. */
export interface ReadAs {
  /** The key of the security. */
  readonly symbol: string;
  /** The names of the security, in the order of time; empty where no statement is about it. */
  readonly names: readonly Holding[];
  /** The other securities that had the name. */
  readonly others: readonly Holding[];
}

/** A statement that applies to nothing, and why. */
export interface NameProblem {
  readonly statement: LearnedStatement;
  readonly reason: 'waits' | 'contradicted' | 'contradicts';
  /** The ids of the statements that it contradicts. */
  readonly with: readonly number[];
}

/** What names mean, by the statements that were learned; names without a statement mean themselves. */
export interface NameBook {
  /** The id of the newest statement; 0 without any. */
  readonly newest: number;
  readonly statements: readonly LearnedStatement[];
  /**
   * What a name is on a date of the venue. A name that nobody had then is the security that has it `today`, if that was
   * listed by then; else the reading is null, and `holdings` says who had it.
   */
  read(line: NamedLine, date: string, today: string): Reading | null;
  /** What a filter means: the name on the date, else the security of that key, else the last one that had the name. */
  readFilter(filter: NamedFilter, date: string): ReadAs;
  /** The name of a security on a date, at the venue of the instrument, whose symbol is the key. */
  nameOf(instrument: Instrument, date: string): string;
  /** The stretches of a period [from, until) of dates in which the security had different names, in order. */
  namesOf(instrument: Instrument, from: string, until: string): readonly Stretch[];
  /** Who had a name, in the order of time. */
  holdings(market: Market, name: string): readonly Holding[];
  /** The names of a security, in the order of time. */
  history(market: Market, key: string): readonly LearnedStatement[];
  /** Since when the line of a security has been listed, over its renames; null where no statement says it. */
  listedOn(instrument: Instrument): string | null;
  /** The date from which on the line of a security has no name any more; null while it has one, or nothing is stated. */
  endedOn(instrument: Instrument): string | null;
  /** Whether a statement names this key. */
  knowsKey(market: Market, key: string): boolean;
  /** Whether a statement is about this name. */
  knowsName(market: Market, name: string): boolean;
  readonly problems: readonly NameProblem[];
}

export function nameBook(statements: readonly LearnedStatement[]): NameBook {
  const believed = believedOf(statements);
  const doubted = standing(statements).flatMap((statement): NameProblem[] => {
    const reason = renameDoubt(statement);
    return reason ? [{ statement, reason, with: [] }] : [];
  });
  const byName = groupedBy(believed, ({ market, name }) => `${market}:${name}`);
  const byKey = groupedBy(believed, ({ market, key }) => `${market}:${key}`);
  const named = (market: Market, name: string) => byName.get(`${market}:${name}`) ?? [];
  const keyed = (market: Market, key: string) => byKey.get(`${market}:${key}`) ?? [];
  return {
    newest: statements.reduce((most, { id }) => Math.max(most, id), 0),
    statements,
    read: (line, date, today) => readName(named(line.market, line.name), keyed, line, date, today),
    readFilter: (filter, date) => readFilter(named(filter.market, filter.name), keyed, filter, date),
    nameOf: (instrument, date) => {
      const ofLine = applyingTo(keyed(instrument.market, instrument.symbol), instrument);
      return statementAt(ofLine, instrument.symbol, date)?.name ?? rootOf(instrument.symbol);
    },
    namesOf: (instrument, from, until) =>
      stretches(keyed(instrument.market, instrument.symbol), instrument, from, until),
    holdings: (market, name) => holdingsOf(named(market, name)),
    history: (market, key) => keyed(market, key).toSorted((a, b) => (a.from < b.from ? -1 : 1)),
    listedOn: (instrument) => firstListing(applyingTo(keyed(instrument.market, instrument.symbol), instrument)),
    endedOn: (instrument) => lastEnd(applyingTo(keyed(instrument.market, instrument.symbol), instrument)),
    knowsKey: (market, key) => keyed(market, key).some(isMapping),
    knowsName: (market, name) => named(market, name).some(isMapping),
    problems: [...doubted, ...contradictions(believed)],
  };
}

/** Of a security whose first known name is that of its listing: before a rename it had another one. */
function firstListing(ofLine: readonly LearnedStatement[]): string | null {
  const names = ofLine.filter(({ kind, from }) => /^(listed|reused|renamed)$/.test(kind) && from !== ALWAYS);
  const [first] = names.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return first && first.kind !== 'renamed' ? first.from : null;
}

function lastEnd(ofLine: readonly LearnedStatement[]): string | null {
  const ends = ofLine.filter(({ kind }) => kind !== 'code').map(({ until = FOREVER }) => until);
  const last = ends.toSorted().at(-1) ?? FOREVER;
  return last === FOREVER ? null : last;
}

export const NO_NAMES = nameBook([]);

/** Those that were not withdrawn. */
export function standing(statements: readonly LearnedStatement[]): readonly LearnedStatement[] {
  const withdrawn = new Set(statements.flatMap(({ withdraws }) => withdraws ?? []));
  return statements.filter(({ id, withdraws }) => withdraws === undefined && !withdrawn.has(id));
}

/** Those that apply, each with the end that a merger or delisting of all its lines gave it. */
function believedOf(statements: readonly LearnedStatement[]): readonly LearnedStatement[] {
  const believed = standing(statements).filter((each) => renameDoubt(each) === null);
  const ends = believed.filter((each) => !isMapping(each));
  const stated = believed.map((each) =>
    withEnd(
      each,
      ends.filter((end) => covers(end, each)),
    ),
  );
  return [...stated, ...ends.flatMap((end) => unstated(end, stated))];
}

/** With the end by the foremost of the sources that may end it: a lower one than its own may not. */
function withEnd(of: LearnedStatement, ends: readonly LearnedStatement[]): LearnedStatement {
  if (!isMapping(of)) return of;
  const [end] = ends
    .filter((each) => each.name === of.name && each.market === of.market && each.key === of.key)
    .filter((each) => rankOf(each) <= rankOf(of) && of.from < each.from && each.from < (of.until ?? FOREVER))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.from < b.from ? -1 : 1));
  return end ? { ...of, until: end.from } : of;
}

/** From when on a name has been its own key, where only its end is stated. */
export const ALWAYS = '0001-01-01';

/** What an end ends without any statement before it: until then the name was its own key. */
function unstated(end: LearnedStatement, stated: readonly LearnedStatement[]): readonly LearnedStatement[] {
  const { name, key, successor, ratio, ...said } = end;
  const before = stated.filter(
    (each) => isMapping(each) && each.market === end.market && each.name === name && each.from < end.from,
  );
  const there = before.filter((each) => covers(each, end));
  if (name !== key || there.some((each) => each.key === key || (each.until ?? FOREVER) > end.from)) return [];
  const from = there.reduce((last, { until = last }) => (until > last ? until : last), ALWAYS);
  return from < end.from ? [{ ...said, name, key, kind: 'listed', from, until: end.from }] : [];
}

/** Whether a statement is about every line that the other one is about. */
function covers(wide: LinesMeant, narrow: LinesMeant): boolean {
  return (['venue', 'asset_class', 'quote'] as const).every((pin) => (wide[pin] ?? narrow[pin]) === narrow[pin]);
}

/** What names mean on a line: a delisting of this line alone ends them here. */
function applyingTo(statements: readonly LearnedStatement[], line: Line): readonly LearnedStatement[] {
  const there = statements.filter((each) => isOfLine(each, line));
  const ends = there.filter((each) => !isMapping(each));
  return there.filter(isMapping).map((each) => withEnd(each, ends));
}

/** What a name without any statement is. */
const ITSELF = { units: 1, until: null, others: [], also: [] } as const;

function readName(
  named: readonly LearnedStatement[],
  keyed: (market: Market, key: string) => readonly LearnedStatement[],
  line: NamedLine,
  date: string,
  today: string,
): Reading | null {
  const { market, name } = line;
  if (named.length === 0 && keyed(market, name).length === 0) return { ...ITSELF, key: name, name };
  const applying = applyingTo(named, line);
  const then = foremost(applying, date);
  const holder = isContested(applying, date)
    ? null
    : (then ?? laterHolder(applying, keyed, date, today) ?? ownHolder(keyed(market, name), line, date));
  if (holder === null && applying.length > 0) return null;
  const key = holder?.key ?? name;
  const ofKey = applyingTo(keyed(market, key), line);
  const called = then ?? statementAt(ofKey, key, date);
  return {
    key,
    name: called?.name ?? (ofKey.length > 0 ? rootOf(key) : key),
    units: called?.units ?? 1,
    until: nextChange([...applying, ...ofKey], date),
    ...othersOf(applying.length > 0 ? applying : named, key, date),
  };
}

function othersOf(statements: readonly LearnedStatement[], key: string, date: string) {
  const all = holdingsOf(statements).filter((each) => each.key !== key);
  const isNow = ({ from, until }: Holding) => isWithin(date, { from, until: until ?? undefined });
  return { others: all.filter((each) => !isNow(each)), also: all.filter(isNow) };
}

function readFilter(
  named: readonly LearnedStatement[],
  keyed: (market: Market, key: string) => readonly LearnedStatement[],
  { market, name, venue, asset_class, quote_currency }: NamedFilter,
  date: string,
): ReadAs {
  const applying = named.filter(
    (each) =>
      isMapping(each) &&
      (venue === undefined || (each.venue ?? venue) === venue) &&
      (asset_class === undefined || (each.asset_class ?? asset_class) === asset_class) &&
      (quote_currency === undefined || (each.quote ?? quote_currency) === quote_currency),
  );
  const then = foremost(applying, date);
  const last = holdingsOf(applying).findLast(({ from }) => from <= date);
  const isKey = keyed(market, name).some(isMapping);
  const symbol = then ? then.key : isKey || isContested(applying, date) ? name : (last?.key ?? name);
  return {
    symbol,
    names: holdingsOf(keyed(market, symbol)),
    others: holdingsOf(applying).filter(({ key }) => key !== symbol),
  };
}

/** The security that has the name now, if it was listed by the date. */
function laterHolder(
  applying: readonly LearnedStatement[],
  keyed: (market: Market, key: string) => readonly LearnedStatement[],
  date: string,
  today: string,
): LearnedStatement | null {
  const now = foremost(applying, today);
  if (now === null) return null;
  return keyed(now.market, now.key).some((each) => isMapping(each) && each.from <= date) ? now : null;
}

/** What was sent is the key of a security, which had another name then. */
function ownHolder(ofKey: readonly LearnedStatement[], line: NamedLine, date: string): LearnedStatement | null {
  return applyingTo(ofKey, line).find((each) => isWithin(date, each)) ?? null;
}

type Line = Pick<Instrument, 'venue' | 'asset_class' | 'quote_currency'>;

function isOfLine({ venue, asset_class, quote }: LearnedStatement, line: Line): boolean {
  return (
    (venue ?? line.venue) === line.venue &&
    (asset_class ?? line.asset_class) === line.asset_class &&
    (quote ?? line.quote_currency) === line.quote_currency
  );
}

/**
 * The statement that says what a name is on a date: of the foremost source, and of these the most specific one. Those of
 * equal weight that contradict each other apply to nothing, so that the next ones do; null where none is left.
 */
function foremost(applying: readonly LearnedStatement[], date: string): LearnedStatement | null {
  const then = applying.filter((each) => isWithin(date, each)).toSorted(byWeight);
  return then.find((each) => then.every(({ key, ...other }) => key === each.key || !isAsHeavy(each, other))) ?? null;
}

/** Whether statements say what a name is on a date, and all of them contradict each other. */
function isContested(applying: readonly LearnedStatement[], date: string): boolean {
  return foremost(applying, date) === null && applying.some((each) => isWithin(date, each));
}

function nextChange(applying: readonly LearnedStatement[], date: string): string | null {
  const later = applying.flatMap(({ from, until }) => [from, until ?? FOREVER]).filter((each) => each > date);
  const [next = FOREVER] = later.toSorted();
  return next === FOREVER ? null : next;
}

/**
 * The statement with the name that a security has on a date; after the last one that is known, that. Before the first one
 * it is that too, but for a rename: before it the security had another name, which its key was made of (null).
 * @param ofLine those about the security that apply to the line
 */
function statementAt(ofLine: readonly LearnedStatement[], key: string, date: string): LearnedStatement | null {
  // A code is another spelling, and no name that prices have.
  const known = ofLine.filter(({ kind }) => kind !== 'code');
  const then = known.filter((each) => isWithin(date, each)).toSorted((a, b) => byName(a, b, key));
  if (then[0]) return then[0];
  const last = known.filter(({ from }) => from <= date).toSorted((a, b) => (a.from < b.from ? 1 : -1))[0];
  const [next] = known.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  return last ?? (next && next.kind !== 'renamed' ? next : null);
}

/** The line's own statement first, then the key itself, then the newest name. */
function byName(a: LearnedStatement, b: LearnedStatement, key: string): number {
  const isKey = ({ name }: LearnedStatement) => Number(name === key);
  return specificity(b) - specificity(a) || isKey(b) - isKey(a) || (a.from < b.from ? 1 : -1);
}

function stretches(
  ofKey: readonly LearnedStatement[],
  { symbol: key, ...line }: Instrument,
  from: string,
  until: string,
): readonly Stretch[] {
  const ofLine = applyingTo(ofKey, line);
  const turns = ofLine
    .flatMap((each) => [each.from, each.until ?? FOREVER])
    .filter((each) => from < each && each < until);
  const starts = [from, ...new Set(turns.toSorted())];
  const parts = starts.map((start) => {
    const statement = statementAt(ofLine, key, start);
    return { key, name: statement?.name ?? rootOf(key), from: start, statement };
  });
  const firsts = parts.filter(({ name }, at) => name !== parts[at - 1]?.name);
  return firsts.map(({ statement, ...part }, at) => {
    const before = at === 0 ? statement : (firsts[at - 1]?.statement ?? null);
    return { ...part, until: firsts[at + 1]?.from ?? until, factor: factorOf(before, statement) };
  });
}

/** What a price under one name is multiplied by to be one under the next name, in its units. */
function factorOf(before: LearnedStatement | null, after: LearnedStatement | null): number {
  const isRename = after !== null && after !== before && after.kind === 'renamed';
  return (after?.units ?? 1) / (before?.units ?? 1) / (isRename ? (after.ratio ?? 1) : 1);
}

/** Each once, also where it is stated of several venues. */
function holdingsOf(statements: readonly LearnedStatement[]): readonly Holding[] {
  const distinct = new Map(
    statements.map((each) => [[each.name, each.key, each.from, each.until].join(' '), each] as const),
  );
  return [...distinct.values()]
    .filter(isMapping)
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))
    .map(({ name, key, from, until = null }) => ({ name, key, from, until }));
}

/** Statements of equal weight that say of one name on one date that it is two securities: none of them applies. */
function contradictions(believed: readonly LearnedStatement[]): readonly NameProblem[] {
  const names = groupedBy(believed.filter(isMapping), ({ market, name }) => `${market}:${name}`);
  return [...names.values()].flatMap((alike) =>
    alike.flatMap((statement): NameProblem[] => {
      const against = alike.filter(
        (each) => each.key !== statement.key && isAsHeavy(each, statement) && areTogether(each, statement),
      );
      const ids = against.map(({ id }) => id);
      return ids.length > 0 ? [{ statement, reason: 'contradicts', with: ids }] : [];
    }),
  );
}

/** Whether both say what a name is on some line on some date. */
function areTogether(a: LearnedStatement, b: LearnedStatement): boolean {
  const isOneLine = (['venue', 'asset_class', 'quote'] as const).every(
    (pin) => (a[pin] ?? b[pin]) === (b[pin] ?? a[pin]),
  );
  return isOneLine && a.from < (b.until ?? FOREVER) && b.from < (a.until ?? FOREVER);
}
