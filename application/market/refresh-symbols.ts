import { randomUUID } from 'node:crypto';
import { withNamed } from '../../domain/decisions/submission/admit-submission.ts';
import { SYMBOLS } from '../../domain/limits.ts';
import { calendarOf, timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import {
  type Instrument,
  type InstrumentAsSent,
  instrumentKey,
  namedInstrument,
  orAsStored,
} from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import { type NameBook, NO_NAMES, standing } from '../../domain/market/name-book.ts';
import { nextKey } from '../../domain/market/name-faults.ts';
import {
  isMapping,
  isWithin,
  type LearnedStatement,
  type NameStatement,
  renameDoubt,
} from '../../domain/market/name-statement.ts';
import type { KnownCoins } from '../../domain/market/symbol.ts';
import type {
  DelistedSymbol,
  ListedSymbols,
  StoredSymbolFile,
  SymbolFile,
  SymbolSource,
  SymbolStore,
} from '../../domain/market/symbol-directory.ts';
import { Problem } from '../../domain/problem.ts';
import { DAY, type Millis, utcDate } from '../../domain/time.ts';
import { localDate } from '../../domain/zoned-time.ts';
import type { Ports } from '../ports.ts';
import { learnNames, newestNames, notSaid } from './names.ts';

/** The result of checking the files of US listings. */
export type SymbolRefresh =
  | ({ readonly kind: 'stored'; readonly symbols: number } & ReturnedTickers)
  /** They were stored within the day, or have not changed since. */
  | { readonly kind: 'up_to_date' }
  /** The known symbols stay until a later check. */
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string };

/** The tickers that were off the lists for more than five sessions and are back. */
interface ReturnedTickers {
  /** Those that are new securities from now on. */
  readonly reused: readonly string[];
  /** Those of which that is not believed: too many are back at once, or the statements could not be learned. */
  readonly doubted: readonly string[];
}

type SymbolPorts = Pick<Ports, 'listedSymbols' | 'clock' | 'transaction' | 'names' | 'canonicalJson'> &
  Partial<Pick<Ports, 'report'>>;

/**
 * Updates the symbol directory, once a day (settled.md section 3). Both files count or neither; a file that is older
 * than the stored one changes nothing, and files that lack too many of the symbols before are refused. A ticker that was
 * off the lists for more than five sessions is a new security, unless a statement says otherwise (securities.md section 2).
 */
export async function refreshSymbols(ports: SymbolPorts, source: SymbolSource): Promise<SymbolRefresh> {
  const { listedSymbols, clock, transaction } = ports;
  const changed = await listedSymbols.changedAt();
  const now = await clock.now();
  if (changed && now.getTime() - changed.getTime() < SYMBOLS.every) return { kind: 'up_to_date' };
  const fetched = await fetchAll(source);
  if ('reason' in fetched) return { kind: 'unavailable', reason: fetched.reason };
  const before = await listsOf(listedSymbols);
  const verdict = judge(fetched, before, now);
  if (verdict.kind !== 'stored') return verdict;
  // Before the lists change, so that a process that ends in between states it the next time.
  const returned = await learnReturned(ports, fetched, before);
  return transaction(async (stores) => {
    const final = judge(fetched, await listsOf(stores.listedSymbols), now);
    if (final.kind !== 'stored') return final;
    await stores.listedSymbols.replace(fetched, now);
    // No later list shows that these were gone.
    if (returned.doubted.length > 0) {
      const entry = { actor: LISTS, action: 'doubt_returned_tickers', subject: 'names' };
      await stores.audit.append({ ...entry, detail: { tickers: returned.doubted } });
    }
    return { ...final, ...returned };
  });
}

/** What the lists were until now. */
interface StoredLists extends ListedSymbols {
  readonly files: readonly StoredSymbolFile[];
}

async function listsOf(symbols: SymbolStore): Promise<StoredLists> {
  return { files: await symbols.files(), ...(await symbols.all()) };
}

async function fetchAll(source: SymbolSource): Promise<readonly SymbolFile[] | { readonly reason: string }> {
  try {
    return await source.fetch();
  } catch (error) {
    if (error instanceof SourceUnavailable) return { reason: error.message };
    throw error;
  }
}

function judge(fetched: readonly SymbolFile[], { files, listed }: StoredLists, now: Date) {
  const before = new Map(files.map((file) => [file.name, file]));
  const shrunk = fetched.find(({ name, symbols }) => 2 * symbols.length < (before.get(name)?.symbols ?? 0));
  if (shrunk) {
    const counts = `${shrunk.symbols.length} symbols instead of ${before.get(shrunk.name)?.symbols}`;
    return { kind: 'refused', reason: `The file ${shrunk.name} has ${counts}.` } as const;
  }
  const symbols = new Set(fetched.flatMap((file) => file.symbols));
  const lost = listed.filter((symbol) => !symbols.has(symbol)).length;
  const age = now.getTime() - Math.max(0, ...files.map(({ stored_at }) => stored_at.getTime()));
  if (lost > mostLost(listed.length, age)) {
    const reason = `${lost} of ${listed.length} symbols are in none of the files any more.`;
    return { kind: 'refused', reason } as const;
  }
  const isOlder = ({ name, created_at }: SymbolFile) => created_at < (before.get(name)?.created_at ?? created_at);
  const isNew = ({ name, created_at }: SymbolFile) => created_at > (before.get(name)?.created_at ?? new Date(0));
  if (fetched.some(isOlder) || !fetched.some(isNew)) return { kind: 'up_to_date' } as const;
  return { kind: 'stored', symbols: symbols.size } as const;
}

/** How many tickers may have left since the lists that were stored, so that short ones are not believed. */
function mostLost(count: number, age: Millis): number {
  const share = age >= SYMBOLS.lostHalfAfter ? 0.5 : SYMBOLS.lostShare;
  return Math.max(SYMBOLS.lostFew, count * share);
}

/** As the lists name it: a ticker is one security at all venues of the United States. */
const US_LINE = { market: 'stock', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' } as const;

/** States that returned tickers are new securities, where nothing is stated of their return. */
async function learnReturned(
  ports: SymbolPorts,
  fetched: readonly SymbolFile[],
  { files, delisted }: StoredLists,
): Promise<ReturnedTickers> {
  const calendar = calendarOf(US_LINE);
  const symbols = new Set(fetched.flatMap((file) => file.symbols));
  const listed = delisted.filter(({ symbol }) => symbols.has(symbol));
  if (listed.length === 0) return { reused: [], doubted: [] };
  // Between this list and the last one that lacks it, it is not known when it came back.
  const missing = calendar.currentOrNext(Math.min(...files.map(({ created_at }) => created_at.getTime())));
  const isOff = ({ delisted_at }: DelistedSymbol) =>
    calendar.sessions(delisted_at.getTime(), missing.close).length > SYMBOLS.goneAfter;
  const newest = calendar.currentOrNext(Math.max(...fetched.map(({ created_at }) => created_at.getTime()))).date;
  const next = calendar.nthFrom(missing.close, 1).date;
  const from = next < newest ? next : newest;
  const book = await newestNames(ports.names);
  const back = listed.filter(isOff).map((each) => ({ ...each, statements: statementsOf(book, each, from) }));
  const unstated = back.filter(({ statements }) => statements.length > 0);
  const names = unstated.map(({ symbol }) => symbol).toSorted();
  if (names.length > SYMBOLS.returning) return { reused: [], doubted: names };
  const all = unstated.flatMap(({ statements }) => statements);
  if (await isLearned(ports, notSaid(book.statements, all))) return { reused: names, doubted: [] };
  // One ticker whose statements cannot be learned keeps no other away.
  const doubted = new Set<string>();
  for (const { symbol, statements } of unstated)
    if (!(await isLearned(ports, notSaid(book.statements, statements)))) doubted.add(symbol);
  return { reused: names.filter((name) => !doubted.has(name)), doubted: names.filter((name) => doubted.has(name)) };
}

/** Who learns and doubts by the lists, in the audit log. */
const LISTS = 'lists';

/** Learns all of the statements, or none where what is stated by now contradicts one: with its end alone a name would be lost. */
async function isLearned(ports: SymbolPorts, statements: readonly NameStatement[]): Promise<boolean> {
  try {
    await learnNames(ports, statements, LISTS);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'VALIDATION_ERROR') return false;
    throw error;
  }
}

/** That the name of a returned ticker ended, and is another security; none where its return is stated. */
function statementsOf(
  book: NameBook,
  { symbol: name, delisted_at }: DelistedSymbol,
  from: string,
): readonly NameStatement[] {
  const left = calendarOf(US_LINE).currentOrNext(delisted_at.getTime()).date;
  const about = standing(book.statements).filter(
    (each) => each.market === 'stock' && each.name === name && isMapping(each) && renameDoubt(each) === null,
  );
  const saysReturn = (each: LearnedStatement) =>
    isWithin(from, each) && (each.source.kind === 'operator' || each.learned_at > delisted_at || each.from >= left);
  if (about.some(saysReturn)) return [];
  const dayBefore = utcDate(Date.parse(left) - DAY);
  const former = book.read({ ...US_LINE, name }, dayBefore, dayBefore)?.key;
  const isOpen = former !== undefined && (about.length === 0 || about.some((each) => isWithin(left, each)));
  const isFree = former !== name && !book.knowsKey('stock', name);
  // Statements of one source may not overlap, and a later list says how an earlier statement ends.
  const source = { kind: 'exchange', name: `Nasdaq Trader, lists of ${from}` } as const;
  const said = { market: 'stock', name, source } as const;
  return [
    ...(isOpen ? [{ ...said, from: left, key: former, kind: 'delisted' } as const] : []),
    { ...said, from, key: isFree ? name : nextKey(book, 'stock', name), kind: 'reused' },
  ];
}

/** The reply to a request to verify an instrument again (settled.md section 12). */
interface RefreshReply {
  readonly instrument: Instrument;
  /** `already_queued`: it was requested before, and is not done yet. */
  readonly status: 'queued' | 'already_queued';
  /** The id of the refresh that will run. */
  readonly job_id: string;
}

type RefreshPorts = Pick<Ports, 'transaction' | 'clock'> & Partial<Pick<Ports, 'symbols' | 'names'>>;

/**
 * Verifies an instrument again at once, whatever is known of it, and tries its failed records again: `rejected` ones
 * wait for the verification, the next sweep evaluates `data_unavailable` ones (interface.md 4.1, settled.md section 5).
 * All or nothing. The instrument may be unknown, also on a venue or in a quote that is not supported (any more): its
 * records, if any, are of an earlier configuration.
 * @param actor who asked, for the audit log
 * @throws Problem VALIDATION_ERROR (400) naming every field that no instrument can have
 */
export async function refreshInstrument(
  { transaction, clock, symbols, names }: RefreshPorts,
  sent: InstrumentAsSent,
  actor: string,
): Promise<RefreshReply> {
  const book = names ? await newestNames(names) : NO_NAMES;
  const named = instrumentOf(sent, symbols && withNamed(symbols, book));
  const own = randomUUID();
  const now = await clock.now();
  const instrument = securityOf(named, book, now);
  return transaction(async ({ instruments, verification, jobs, audit }) => {
    const job_id = await instruments.requestRefresh({ instrument, job_id: own }, now);
    const status = job_id === own ? 'queued' : 'already_queued';
    const revived = await verification.revive(instrument, now);
    await jobs.enqueue('verify-instruments');
    if (revived.data_unavailable > 0) await jobs.enqueue('evaluate-due');
    const entry = { actor, action: 'refresh_instrument', subject: instrumentKey(instrument) };
    await audit.append({ ...entry, detail: { job_id, status, revived } });
    return { instrument, status, job_id };
  });
}

/** Records carry keys: what is no key is a name of today. */
export function securityOf(named: Instrument, book: NameBook, now: Date): Instrument {
  const { market, symbol } = named;
  if (book.knowsKey(market, symbol)) return named;
  const today = localDate(now.getTime(), timeZoneOf(named));
  return { ...named, symbol: book.read({ ...named, name: symbol }, today, today)?.key ?? symbol };
}

function instrumentOf(sent: InstrumentAsSent, coins: KnownCoins | undefined): Instrument {
  const instrument = orAsStored((known) => namedInstrument(sent, known), coins);
  if (!Array.isArray(instrument)) return instrument;
  const fields = instrument.map(({ path }) => path).join(', ');
  throw new Problem('VALIDATION_ERROR', `No instrument can have this identity: ${fields}.`, { details: instrument });
}
