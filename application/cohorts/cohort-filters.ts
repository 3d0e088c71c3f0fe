import { AS_OF_FILTERS, type CohortFilter, readsRecordsAsOf, withoutAsOf } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader, CohortSort } from '../../domain/cohorts/cohort-reader.ts';
import { withNamed } from '../../domain/decisions/submission/admit-submission.ts';
import { COHORT } from '../../domain/limits.ts';
import { indexAt, unplacedAdvice } from '../../domain/market/instrument.ts';
import type { NameBook, ReadAs } from '../../domain/market/name-book.ts';
import { type KnownCoins, normaliseSymbol } from '../../domain/market/symbol.ts';
import { venueName } from '../../domain/market/venues.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';
import { utcDate } from '../../domain/time.ts';
import { currentNames } from '../market/names.ts';
import type { Ports } from '../ports.ts';

type OrUndefined<T> = { readonly [Field in keyof T]: T[Field] | undefined };

/** The parameters of `GET /agent/wisdom` (interface.md 4.2), with names in the case in which records carry them. */
export interface CohortQuery extends OrUndefined<Partial<Omit<CohortFilter, 'market'>>>, Pick<CohortFilter, 'market'> {
  /** Newest data first by default. */
  readonly sort?: CohortSort | undefined;
  /** 1-100, 20 by default. */
  readonly limit?: number | undefined;
  /** The cursor of a page of the same query. */
  readonly cursor?: string | undefined;
}

/** What symbols are read by. */
export interface SymbolReading {
  readonly coins: KnownCoins;
  readonly names: NameBook;
  /** The UTC date of now. */
  readonly today: string;
}

/** The symbols of now. */
export async function symbolReading({
  symbols,
  names,
  clock,
}: Pick<Ports, 'symbols' | 'names' | 'clock'>): Promise<SymbolReading> {
  const book = await currentNames(names);
  return { coins: withNamed(symbols, book), names: book, today: utcDate(await clock.lastSeen()) };
}

/**
 * The filter of a query: symbols are spelled as in submissions (settled.md section 3), and are keys, or names of the date
 * of `as_of`.
 * @param place what precedes the names of its parameters in a refusal
 * @returns also what the symbol was read as, where a statement is about it
 * @throws Problem VALIDATION_ERROR (422)
 */
export function readCohortFilter(
  reading: SymbolReading,
  query: CohortQuery,
  place = '',
): { readonly filter: CohortFilter; readonly read_as?: ReadAs } {
  const { sort: _, limit: __, cursor: ___, ...sent } = query;
  const { data_cutoff_since: since, data_cutoff_until: until } = sent;
  if (since && until && since >= until) {
    const message = 'must be after data_cutoff_since, which is part of the range while data_cutoff_until is not';
    throw cohortProblem({ path: `${place}data_cutoff_until`, message });
  }
  const venue = sent.venue && venueName(sent.venue);
  const read_as = symbolOf(reading, query, place);
  const named = Object.entries({ ...sent, venue, symbol: read_as?.symbol }).filter(([, value]) => value !== undefined);
  const filters = Object.fromEntries(named) as Partial<CohortFilter>;
  const filter = { include_retroactive: false, ...filters, market: query.market };
  const isStated = read_as !== null && read_as.names.length + read_as.others.length > 0;
  return { filter, ...(isStated && { read_as }) };
}

/** 422 (interface.md 4.2). */
export function cohortProblem(fault: ProblemDetail): Problem {
  return new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { status: 422, details: [fault] });
}

function symbolOf(
  { coins, names, today }: SymbolReading,
  { market, symbol, venue: sentVenue, asset_class, quote_currency, as_of }: CohortQuery,
  place: string,
): ReadAs | null {
  if (symbol === undefined) return null;
  const normalised = normaliseSymbol(symbol, {
    ...{ market, coins, venue: sentVenue },
    quote_currency: quote_currency ?? null,
  });
  const venue = sentVenue && venueName(sentVenue);
  const name = indexAt(venue, normalised);
  if (name !== null) {
    const isPlaced = market !== 'stock' || venue !== undefined || names.knowsName(market, name);
    const message = isPlaced ? null : unplacedAdvice(symbol, coins);
    if (message !== null) throw cohortProblem({ path: `${place}symbol`, message, received: symbol });
    const line = { market, name, venue, asset_class, quote_currency };
    return names.readFilter(line, as_of ? utcDate(as_of) : today);
  }
  const example = market === 'stock' ? 'a ticker such as MSFT or BRK.B' : 'a base asset such as BTC';
  throw cohortProblem({ path: `${place}symbol`, message: `must be ${example}`, received: symbol });
}

/**
 * Refuses an `as_of` for which too many records would have to be read one by one, and says which filters it may be
 * combined with. The number of records that match without it decides, which is public.
 * @throws Problem VALIDATION_ERROR (422)
 */
export async function refuseLongCount(cohorts: Pick<CohortReader, 'summarise'>, filter: CohortFilter): Promise<void> {
  if (!readsRecordsAsOf(filter)) return;
  const { result } = await cohorts.summarise(withoutAsOf(filter), 1);
  if (result.samples <= COHORT.mostAsOf) return;
  const sets = AS_OF_FILTERS.map((set) => set.join(' and ')).join('; ');
  const message =
    `cannot be combined with these filters, because more than ${COHORT.mostAsOf} records match without it. ` +
    `Leave it out, or leave out the times and all but one of: ${sets}`;
  throw cohortProblem({ path: 'as_of', message });
}
