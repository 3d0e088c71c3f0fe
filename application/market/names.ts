import { type CountedUnder, concernedKeys, isChange, laterReader } from '../../domain/decisions/later-reading.ts';
import { withNamed } from '../../domain/decisions/submission/admit-submission.ts';
import { SOURCE_REPORTS } from '../../domain/limits.ts';
import { type NameBook, NO_NAMES, nameBook, standing } from '../../domain/market/name-book.ts';
import { nameFaults } from '../../domain/market/name-faults.ts';
import {
  type LearnedStatement,
  type NameStatement,
  type NameStore,
  nameLine,
  rootOf,
  type StoredName,
  statementOfLine,
} from '../../domain/market/name-statement.ts';
import { SHIPPED_NAMES } from '../../domain/market/shipped-names.ts';
import { normaliseSymbol } from '../../domain/market/symbol.ts';
import type { Market, Venues } from '../../domain/market/venues.ts';
import { Problem } from '../../domain/problem.ts';
import { MINUTE, type Millis, rfc3339, SECOND, utcDate } from '../../domain/time.ts';
import type { Ports, Stores } from '../ports.ts';

interface Remembered {
  readonly book: NameBook;
  readonly read_at: Millis;
}

/** How old the names may be that reads go by; a submission that was planned by old ones is planned again. */
const FRESH = 5 * SECOND;

/** By the store that they were read from, so that a process reads each statement once. */
const memories = new WeakMap<NameStore, Remembered>();

/** The names as this process last read them; none before it has. */
export function knownNames(names: NameStore): NameBook {
  return memories.get(names)?.book ?? NO_NAMES;
}

/** The names with all statements that are stored now. */
export async function newestNames(names: NameStore): Promise<NameBook> {
  const known = knownNames(names);
  const read_at = performance.now();
  const added = await names.after(known.newest);
  const book = added.length === 0 ? known : nameBook([...known.statements, ...added.map(statementOf)]);
  memories.set(names, { book, read_at });
  return book;
}

/** The names as read within the last seconds. */
export async function currentNames(names: NameStore): Promise<NameBook> {
  const known = memories.get(names);
  return known && performance.now() - known.read_at < FRESH ? known.book : newestNames(names);
}

function statementOf({ id, line }: StoredName): LearnedStatement {
  return statementOfLine(id, line);
}

/** Whether an import of names moves records now. Inside a transaction none begins until its end, unless one is under way. */
export async function isImporting({ evaluations }: Pick<Stores, 'evaluations'>): Promise<boolean> {
  return (await evaluations.mayEnd()) === 'wait';
}

export interface LearnedNames {
  readonly learned: readonly LearnedStatement[];
  /** How many of the sent ones were known. */
  readonly known: number;
  /** How many records count otherwise since. */
  readonly recounted: number;
}

export type NamePorts = Pick<Ports, 'transaction' | 'canonicalJson' | 'names'> &
  Partial<Pick<Ports, 'venues' | 'report'>>;

/**
 * Learns the statements of one import, those that stand already left out: all of them, or none. They are one leaf of the
 * evidence log. Records that they read otherwise count under the other security in the same transaction.
 * @param isPatient whether to wait for an import that is under way; else none is learned then
 * @throws Problem VALIDATION_ERROR naming every line that cannot be learned, with what to send instead
 */
export async function learnNames(
  { transaction, canonicalJson, names: known, venues, report }: NamePorts,
  sent: readonly NameStatement[],
  actor: string,
  isPatient = true,
): Promise<LearnedNames> {
  const done = await transaction(async (own) => {
    const { names, audit } = own;
    if (!isPatient && !(await names.tryLock())) return { learned: [], known: 0, recounted: 0 };
    const place = await names.lock();
    const before = (await names.after(0)).map(statementOf);
    const fresh = soundOnes(before, sent, venues);
    const learned_at = new Date(Math.max(place.now.getTime(), (place.learned_at?.getTime() ?? 0) + 1));
    const learned = fresh.map((each, at) => ({ ...each, learned_at, id: place.newest + 1 + at }));
    await names.add(learned.map((each) => ({ id: each.id, line: canonicalJson(nameLine(each)) })));
    const recounted = await countByNames({ ...own, report }, nameBook([...before, ...learned]), learned, place.now);
    // Last: operators who moderate a record hold its row, and wait for the lock of the audit log.
    if (learned.length > 0) {
      const detail = { statements: learned.length, first: place.newest + 1 };
      await audit.append({ actor, action: 'import_names', subject: 'names', detail });
    }
    return { learned, known: sent.length - fresh.length, recounted };
  });
  await newestNames(known);
  return done;
}

/** How long before now a submission can have begun that is not there yet. */
const LONGEST_SUBMISSION = 10 * MINUTE;

/**
 * Counts all records of some statements, learned or withdrawn, under what their names mean now. What is being submitted
 * meanwhile is read again last, so that submissions wait for few records, however many there are: none of them has a grade,
 * so that no cell is counted while they wait, and nothing that holds one of their rows waits for a cell.
 */
async function countByNames(
  { namedRecords, jobs, report }: CountingPorts,
  book: NameBook,
  newer: readonly LearnedStatement[],
  now: Date,
): Promise<number> {
  const concerned = concernedKeys(book, newer);
  if (concerned.length === 0) return 0;
  const reader = laterReader(book);
  const count = async (since: Date | null) => {
    const changes: CountedUnder[] = [];
    for (const keys of concerned) {
      await namedRecords.read(keys, since, (records) => {
        const read = records.map((record) => ({ record, under: reader.read(record) }));
        // What was refused is refused again, and its cells are locked by now.
        const others = read.filter(({ record, under }) => isChange(record, under) && !refused.has(record.record_id));
        for (const { under } of others) changes.push(under);
      });
    }
    const counted = await namedRecords.count(changes);
    for (const { fault, record_id } of counted.refused) refused.set(record_id, fault);
    return counted.changed;
  };
  const refused = new Map<string, unknown>();
  await namedRecords.holdGrades();
  const before = await count(null);
  for (const keys of concerned) await namedRecords.forgetBars(keys);
  await namedRecords.holdSubmissions();
  const changed = before + (await count(new Date(now.getTime() - LONGEST_SUBMISSION)));
  // Those count as before, which `check-evidence` names, and keep no other one from moving.
  for (const [record_id, fault] of refused) report?.(fault, { record_id });
  if (changed > 0)
    for (const job of ['verify-instruments', 'evaluate-due', 'build-atlas'] as const) await jobs.enqueue(job);
  return changed;
}

type CountingPorts = Pick<Stores, 'namedRecords' | 'jobs'> & { readonly report: Ports['report'] | undefined };

/** A statement of a release that cannot be learned after those that are stored, and why. */
export interface RefusedName {
  readonly statement: NameStatement;
  readonly faults: readonly string[];
}

/**
 * Learns what this release ships and was not known before: one that was withdrawn stays so. Those that cannot be learned
 * are left out, so that none of them keeps the others away. While another process does it, this one does nothing.
 */
export async function learnShippedNames(
  ports: NamePorts,
): Promise<LearnedNames & { readonly refused: readonly RefusedName[] }> {
  const { statements } = await newestNames(ports.names);
  const fresh = notSaid(statements, SHIPPED_NAMES);
  const refused = refusedNames(statements, fresh);
  const sound = fresh.filter((each) => refused.every(({ statement }) => statement !== each));
  const done =
    sound.length === 0 ? { learned: [], known: 0, recounted: 0 } : await learnNames(ports, sound, 'release', false);
  return { ...done, known: done.known + SHIPPED_NAMES.length - fresh.length, refused };
}

/**
 * The processes of release 0.5.0 that run now. They read a name as its own key, and ask a source of prices for a key by that
 * name, so that nothing is learned before they have ended.
 */
export async function processesWithoutNames({
  processes,
  clock,
}: Pick<Ports, 'processes' | 'clock'>): Promise<readonly string[]> {
  const now = await clock.now();
  const isRunning = (reported_at: Date) => now.getTime() - reported_at.getTime() <= SOURCE_REPORTS.fresh;
  const all = await processes.all();
  // All later releases report which records they cannot read.
  return all
    .filter(({ faulty_records, reported_at }) => faulty_records === null && isRunning(reported_at))
    .map(({ process }) => process);
}

/** What this release ships and cannot be learned, as long as nobody decides. */
export function refusedShippedNames({ statements }: NameBook): readonly RefusedName[] {
  return refusedNames(statements, notSaid(statements, SHIPPED_NAMES));
}

/** Those that were never stated: one that was withdrawn stays so. */
export function notSaid(known: readonly LearnedStatement[], sent: readonly NameStatement[]): readonly NameStatement[] {
  const said = new Set(known.map(saidText));
  return sent.filter((each) => !said.has(saidText(each)));
}

function refusedNames(known: readonly LearnedStatement[], sent: readonly NameStatement[]): readonly RefusedName[] {
  const faults = faultsInOrder(known, sent);
  return sent.flatMap((statement, at) => {
    const found = faults[at] ?? [];
    return found.length === 0 ? [] : [{ statement, faults: found }];
  });
}

/** What a statement says, without when it was learned and which prices it was held against. */
function saidText(statement: NameStatement & Partial<LearnedStatement>): string {
  const { id, learned_at, prices, withdraws, source, ...said } = statement;
  const members = Object.entries(said).filter(([, value]) => value !== undefined);
  const { kind, name, url = null } = source;
  return JSON.stringify([kind, name, url, ...members.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

/** Those that do not apply yet. @throws Problem naming every line that cannot be learned */
function soundOnes(
  before: readonly LearnedStatement[],
  sent: readonly NameStatement[],
  venues?: Venues,
): readonly NameStatement[] {
  const applying = new Set(standing(before).map(saidText));
  const fresh = sent.map((each, line) => ({ each, line })).filter(({ each }) => !applying.has(saidText(each)));
  const statements = fresh.map(({ each }) => each);
  const faults = faultsInOrder(before, statements, venues);
  const details = fresh.flatMap(({ each, line }, at) =>
    (faults[at] ?? []).map((message) => ({ path: `line ${line + 1}`, message: `${each.name}: ${message}.` })),
  );
  if (details.length === 0) return statements;
  throw new Problem('VALIDATION_ERROR', 'Nothing was imported: some statements cannot be learned.', { details });
}

/** The faults of each statement after those before it that have none. */
function faultsInOrder(
  before: readonly LearnedStatement[],
  sent: readonly NameStatement[],
  venues?: Venues,
): readonly (readonly string[])[] {
  const related = new Map<string, LearnedStatement[]>();
  const placesOf = ({ market, name, key }: NameStatement) => [`${market} name ${name}`, `${market} key ${rootOf(key)}`];
  const learn = (statement: LearnedStatement) => {
    for (const place of placesOf(statement)) {
      const there = related.get(place);
      if (there) there.push(statement);
      else related.set(place, [statement]);
    }
  };
  for (const each of before) learn(each);
  const newest = before.at(-1)?.id ?? 0;
  return sent.map((statement, at) => {
    // Only those of its name and of its keys can be against it.
    const about = new Set(placesOf(statement).flatMap((place) => related.get(place) ?? []));
    const faults = nameFaults(nameBook([...about]), statement, venues);
    if (faults.length === 0) learn({ ...statement, id: newest + 1 + at, learned_at: new Date(0) });
    return faults;
  });
}

/**
 * Withdraws a statement: from now on it does not apply, and it stays listed. Records count as if it had never been learned.
 * @throws Problem VALIDATION_ERROR for a number that no standing statement has
 */
export async function withdrawName(
  { transaction, canonicalJson, names: known, report }: NamePorts,
  id: number,
  actor: string,
): Promise<LearnedStatement> {
  const done = await transaction(async (own) => {
    const { names, audit } = own;
    const place = await names.lock();
    const before = (await names.after(0)).map(statementOf);
    const withdrawn = standing(before).find((each) => each.id === id);
    if (!withdrawn) {
      const message = `No statement ${id} applies.`;
      throw new Problem('VALIDATION_ERROR', message, { suggestion: 'securities list shows those that do.' });
    }
    const learned_at = new Date(Math.max(place.now.getTime(), (place.learned_at?.getTime() ?? 0) + 1));
    const statement = { ...withdrawn, id: place.newest + 1, learned_at, withdraws: id };
    await names.add([{ id: statement.id, line: canonicalJson(nameLine(statement)) }]);
    await countByNames({ ...own, report }, nameBook([...before, statement]), [statement], place.now);
    await audit.append({
      actor,
      action: 'withdraw_name',
      subject: 'names',
      detail: { withdraws: id, id: statement.id },
    });
    return statement;
  });
  await newestNames(known);
  return done;
}

/** What a symbol means today, and every statement about it. @throws Problem VALIDATION_ERROR for what is no symbol */
export async function readSecurity(
  { names, clock, symbols }: Pick<Ports, 'names' | 'clock' | 'symbols'>,
  market: Market,
  sent: string,
) {
  const book = await newestNames(names);
  const symbol = normaliseSymbol(sent, { market, quote_currency: null, coins: withNamed(symbols, book) });
  if (symbol === null) {
    const details = [{ path: 'symbol', message: 'Send a ticker, or the base asset of a pair alone.', received: sent }];
    throw new Problem('VALIDATION_ERROR', `${sent} is no symbol.`, { details });
  }
  const read_as = book.readFilter({ market, name: symbol }, utcDate(await clock.now()));
  const isAbout = (each: LearnedStatement) =>
    each.market === market && (each.name === symbol || each.key === symbol || each.key === read_as.symbol);
  const statements = book.statements.filter(isAbout);
  return {
    market,
    symbol,
    read_as,
    statements: statements.map((each) => ({ ...each, learned_at: rfc3339(each.learned_at) })),
  };
}
