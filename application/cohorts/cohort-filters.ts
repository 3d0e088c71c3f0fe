import { AS_OF_FILTERS, type CohortFilter, readsRecordsAsOf, withoutAsOf } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortReader, CohortSort } from '../../domain/cohorts/cohort-reader.ts';
import { COHORT } from '../../domain/limits.ts';
import { type KnownCoins, normaliseSymbol } from '../../domain/market/symbol.ts';
import { Problem, type ProblemDetail } from '../../domain/problem.ts';

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

/**
 * The filter of a query: symbols are spelled as in submissions (settled.md section 3).
 * @param coins which coins there are
 * @param place what precedes the names of its parameters in a refusal
 * @throws Problem VALIDATION_ERROR (422)
 */
export function cohortFilter(coins: KnownCoins, query: CohortQuery, place = ''): CohortFilter {
  const { sort: _, limit: __, cursor: ___, ...sent } = query;
  const { data_cutoff_since: since, data_cutoff_until: until } = sent;
  if (since && until && since >= until) {
    const message = 'must be after data_cutoff_since, which is part of the range while data_cutoff_until is not';
    throw cohortProblem({ path: `${place}data_cutoff_until`, message });
  }
  const named = Object.entries({ ...sent, symbol: symbolOf(coins, query, place) }).filter(
    ([, value]) => value !== undefined,
  );
  return { include_retroactive: false, ...(Object.fromEntries(named) as Partial<CohortFilter>), market: query.market };
}

/** 422 (interface.md 4.2). */
export function cohortProblem(fault: ProblemDetail): Problem {
  return new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { status: 422, details: [fault] });
}

function symbolOf(
  coins: KnownCoins,
  { market, symbol, quote_currency }: CohortQuery,
  place: string,
): string | undefined {
  if (symbol === undefined) return undefined;
  const normalised = normaliseSymbol(symbol, { market, quote_currency: quote_currency ?? null, coins });
  if (normalised !== null) return normalised;
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
