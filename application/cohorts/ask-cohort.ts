import { type CohortFilter, questionOf } from '../../domain/cohorts/cohort-filter.ts';
import type { CohortPlace, CohortSort } from '../../domain/cohorts/cohort-reader.ts';
import type { Overview } from '../../domain/cohorts/cohort-views.ts';
import type { PerspectiveType } from '../../domain/decisions/call.ts';
import { concernedKeys, mayHaveMoved } from '../../domain/decisions/later-reading.ts';
import { type PublicHandle, type PublicRow, publicHandle } from '../../domain/decisions/views/public-views.ts';
import { PAGE } from '../../domain/limits.ts';
import { type Instrument, instrumentKey, normaliseInstrument } from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { ReadAs } from '../../domain/market/name-book.ts';
import type { Venues } from '../../domain/market/venues.ts';
import { type AskedBefore, questionHash } from '../../domain/plans/plan.ts';
import { rfc3339 } from '../../domain/time.ts';
import { currentRegime } from '../market/current-listing.ts';
import { newestNames } from '../market/names.ts';
import { cutPage, openCursor, sealCursor } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { type CohortQuery, cohortProblem, readCohortFilter, refuseLongCount, symbolReading } from './cohort-filters.ts';
import { readOverview } from './read-overview.ts';

const NO_REGIME = { cohort_current_regime: null };

/** A cohort, with what its reader had asked and stated before. */
export interface AskedCohort extends Cohort {
  /** The first plan of the owner for exactly this question, whatever `as_of` and page; null for none. */
  readonly plan: Omit<NonNullable<AskedBefore['plan']>, 'plan_id'> | null;
  readonly queries_asked: number;
}

/**
 * `queryCohort` for an owner: counts the question, also where the cohort is withheld. A query that is refused is none.
 * @throws Problem as `queryCohort`
 */
export async function askCohort(
  ports: Parameters<typeof queryCohort>[0] & Pick<Ports, 'plans' | 'canonicalJson'>,
  owner_id: string,
  query: CohortQuery,
): Promise<AskedCohort> {
  const cohort = await queryCohort(ports, query);
  const { sort: _, limit: __, ...filter } = cohort.query;
  const question = questionHash(questionOf(filter), ports.canonicalJson, sha256);
  const { queries_asked, plan } = await ports.plans.ask(owner_id, question);
  return { ...cohort, queries_asked, plan: plan && { log_index: plan.log_index, stated_at: plan.stated_at } };
}

/** The reply of `GET /agent/wisdom` (settled.md section 6). It neither names nor counts producers, nor shows which rows share one. */
interface Cohort {
  /** The query after normalisation. */
  readonly query: CohortFilter & { readonly sort: CohortSort; readonly limit: number };
  /** What the symbol was read as, where a statement about names is about it. */
  readonly read_as?: ReadAs;
  readonly overview: Overview;
  readonly items: readonly PublicHandle[];
  /** `dimension` is a perspective_type; null for records that named none. */
  readonly facets: readonly { readonly dimension: PerspectiveType | null; readonly total: number }[];
  readonly next_cursor: string | null;
  /** Only where all five identity fields are pinned; null when it is unknown. */
  readonly cohort_current_regime?: string | null;
}

type World = Pick<Ports, 'cohorts' | 'settings' | 'clock' | 'marketData' | 'venues' | 'symbols' | 'names' | 'report'>;

/**
 * Counts the public records that a query selects and returns a page of them, or why they are withheld
 * (docs/cohorts.md). The overview is of this moment; the pages that follow a first one are of its moment.
 * @throws Problem VALIDATION_ERROR (422) for a cursor of another query, or of before names were learned that may have moved
 * decisions into the cohort or out of it; an impossible symbol, an empty range of times,
 * and an `as_of` that too many records would have to be read for
 */
async function queryCohort(ports: World, sent: CohortQuery): Promise<Cohort> {
  const { cohorts, settings } = ports;
  const { sort = 'data_cutoff_desc', limit = PAGE.defaultLimit } = sent;
  const reading = await symbolReading(ports);
  const { filter, ...read } = readCohortFilter(reading, sent);
  const start =
    sent.cursor === undefined ? null : startOf(openCursor(settings.sessionSecret, about(filter, sort), sent.cursor));
  await refuseLongCount(cohorts, filter);
  const { summary, reason, overview } = await readOverview(cohorts, filter, settings);
  const instrument = pinnedInstrument(filter, ports.venues);
  const reply = { query: { ...filter, sort, limit }, ...read, overview };
  if (reason !== null) {
    return { ...reply, items: [], facets: [], next_cursor: null, ...(instrument === undefined ? {} : NO_REGIME) };
  }
  const { after, moment, names } = start ?? { after: null, moment: summary.moment, names: reading.names.newest };
  const [{ rows, last }, regime] = await Promise.all([
    cutPage((most) => cohorts.page(filter, { sort, limit: most, after, moment }), limit),
    regimeOf(ports, instrument),
  ]);
  if (start) await refuseMoved(ports, filter, names);
  return {
    ...reply,
    items: rows.map((row) => ({ ...publicHandle(row), ...regime })),
    facets: summary.result.perspectives.map(({ perspective_type: dimension, total }) => ({ dimension, total })),
    next_cursor: last ? sealCursor(settings.sessionSecret, about(filter, sort), placeOf(last, moment, names)) : null,
    ...regime,
  };
}

interface Start {
  readonly after: CohortPlace;
  readonly moment: string;
  /** The newest statement about names at that moment, or one before. */
  readonly names: number;
}

/**
 * What counts as another security since the moment of the first page is on no page after it, so that these pages would lack
 * decisions that the first one counted. Asked after the page is read: statements and moves appear at once.
 */
async function refuseMoved({ names }: Pick<Ports, 'names'>, filter: CohortFilter, before: number): Promise<void> {
  const book = await newestNames(names);
  const newer = book.statements.filter(({ id }) => id > before);
  if (!mayHaveMoved(concernedKeys(book, newer), filter)) return;
  const message =
    'is older than statements about names by which decisions of this cohort may count anew: ask for the first page again';
  throw cohortProblem({ path: 'cursor', message });
}

/** The part of a query that its cursors are bound to; pages may differ in their size. */
function about(filter: CohortFilter, sort: CohortSort): unknown {
  return ['cohort', sort, Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1))];
}

function placeOf({ data_cutoff, record_id }: PublicRow, moment: string, names: number): unknown {
  return [rfc3339(data_cutoff), record_id, moment, names];
}

/** The decrypted value of a cursor, which only this service can make. */
function startOf(sealed: unknown): Start {
  if (sealed === null) throw cohortProblem({ path: 'cursor', message: 'must be the next_cursor of the same query' });
  // Releases before noted no statement.
  const [data_cutoff, record_id, moment, names = 0] = sealed as readonly [string, string, string, number?];
  return { after: { data_cutoff: new Date(data_cutoff), record_id }, moment, names };
}

/** undefined unless all five identity fields are pinned; null when no instrument can have them. */
function pinnedInstrument({ market, symbol, venue, asset_class, quote_currency }: CohortFilter, venues: Venues) {
  if (!symbol || !venue || !asset_class || !quote_currency) return undefined;
  const instrument = normaliseInstrument({ market, symbol, venue, asset_class, quote_currency }, venues);
  return Array.isArray(instrument) ? null : instrument;
}

/** Without current prices the rest is still returned: the regime is then null. */
async function regimeOf({ marketData, clock, report }: World, instrument: Instrument | null | undefined) {
  if (instrument === undefined) return {};
  if (instrument === null) return NO_REGIME;
  try {
    const regime = await currentRegime({ marketData }, instrument, await clock.now());
    return { cohort_current_regime: regime?.label ?? null };
  } catch (fault) {
    if (!(fault instanceof SourceUnavailable)) report(fault, { instrument: instrumentKey(instrument) });
    return NO_REGIME;
  }
}
