import { namedPeriod } from '../../domain/cohorts/calendar-periods.ts';
import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import type { Overview } from '../../domain/cohorts/cohort-views.ts';
import type { ReadAs } from '../../domain/market/name-book.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { type CohortQuery, readCohortFilter, refuseLongCount, symbolReading } from './cohort-filters.ts';
import { readOverview } from './read-overview.ts';

type Shared =
  | 'market'
  | 'symbol'
  | 'venue'
  | 'asset_class'
  | 'quote_currency'
  | 'direction'
  | 'horizon_kind'
  | 'horizon_value'
  | 'as_of'
  | 'include_retroactive';

/** The parameters of `GET /public/cohorts`: those of `GET /agent/wisdom` that divide no cohort by what others cannot see. */
export interface PublicCohortQuery extends Pick<CohortQuery, Shared> {
  /** Only a `data_cutoff` in this UTC year, month or day, such as `2026-01`. */
  readonly period?: string | undefined;
}

export interface PublicCohort {
  /** The query after normalisation. */
  readonly query: Pick<CohortFilter, Shared> & { readonly period?: string };
  /** What the symbol was read as, where a statement about names is about it. */
  readonly read_as?: ReadAs;
  readonly overview: Overview;
}

/**
 * The counts of a cohort for everybody, withheld by the rules of `queryCohort`: the overview is the one that an agent
 * gets for the same cohort (docs/cohorts.md).
 * @throws Problem NOT_FOUND where the operator has turned them off; VALIDATION_ERROR (422) for an impossible symbol, and an `as_of` that too many records would have to be
 * read for
 */
export async function readPublicCohort(
  ports: Pick<Ports, 'cohorts' | 'settings' | 'symbols' | 'names' | 'clock'>,
  { period, ...sent }: PublicCohortQuery,
): Promise<PublicCohort> {
  const { cohorts, settings } = ports;
  if (!settings.publicCohorts) throw new Problem('NOT_FOUND', 'This service shows no cohorts without credentials.');
  const { filter: unbounded, ...read } = readCohortFilter(await symbolReading(ports), sent);
  const filter = { ...unbounded, ...boundsOf(period) };
  await refuseLongCount(cohorts, filter);
  const { overview } = await readOverview(cohorts, filter, settings);
  return { query: { ...unbounded, ...(period === undefined ? {} : { period }) }, ...read, overview };
}

function boundsOf(period: string | undefined) {
  const named = period === undefined ? null : namedPeriod(period);
  return named && { data_cutoff_since: named.since, data_cutoff_until: named.until };
}
