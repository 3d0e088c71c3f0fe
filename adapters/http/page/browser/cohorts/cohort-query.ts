import type { Schemas } from '../kit/schemas.ts';
import { counted, day, type Fact, facts, plain } from '../kit/value-texts.ts';

const SHARES = {
  up_to_a_third: 'about a third of the decisions or less. An owner is an account, not a person.',
  more: 'more than about a third of the decisions: the habits of one owner weigh heavily.',
} as const;

/** What a cohort counts, as the address of its view and the request name it. */
const NAMES = [
  'market',
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'direction',
  'horizon_kind',
  'horizon_value',
  'period',
  'include_retroactive',
  'as_of',
] as const;
export type CohortFilters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

/** The filters of an address; what is no filter is left out. */
export function cohortFilters(query: URLSearchParams): CohortFilters {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

export function cohortAddress(filters: CohortFilters): string {
  return `#/cohorts?${new URLSearchParams(filters)}`;
}

export function cohortPath(filters: CohortFilters): string {
  return `/api/v1/public/cohorts?${new URLSearchParams(filters)}`;
}

/** The same cohort as of the last full minute before a reply: later grades change nothing. @param date of its header */
export function pinned(filters: CohortFilters, date: string): CohortFilters {
  const time = Date.parse(date);
  return Number.isNaN(time) ? filters : { ...filters, as_of: new Date(time).toISOString() };
}

type Overview = Schemas['CohortOverview'];

type Query = Schemas['PublicCohort']['query'];

/** What was counted, in words: `MSFT on NASDAQ, bullish, in 2003, retroactive decisions included`. */
export function queryWords(query: Query): string {
  const { market, symbol, venue, asset_class, quote_currency, direction, horizon_kind: kind, horizon_value } = query;
  const name = symbol ?? `every ${market}`;
  const horizon =
    horizon_value === undefined ? kind && `over ${plain(kind)}` : `over ${horizon_value} ${plain(kind ?? 'units')}`;
  return [
    venue ? `${name} on ${venue}` : name,
    asset_class,
    quote_currency && `in ${quote_currency}`,
    direction ?? 'all directions',
    horizon,
    query.period && `data up to a time in ${query.period}`,
    query.include_retroactive ? 'retroactive decisions included' : 'stated before the outcome',
  ]
    .filter(Boolean)
    .join(', ');
}

/** Facts about how much the counts can say; those that are withheld are left out. */
export function overviewFacts(overview: Overview): readonly Fact[] {
  const { time_range: range, retroactive_count: retroactive, windows, largest_owner_share: share, ungraded } = overview;
  return facts(
    range && ['Data up to', `${day(range.earliest)} to ${day(range.latest)}`],
    retroactive !== null && ['Retroactive', counted(retroactive, 'decision')],
    windows && ['Overlap', overlapWords(windows)],
    share !== null && ['Largest owner', SHARES[share]],
    ungraded && ['Not counted', ungradedWords(ungraded)],
  );
}

function overlapWords({
  instruments,
  instrument_days,
  max_concurrent,
  disjoint,
}: NonNullable<Overview['windows']>): string {
  return (
    `${counted(instruments, 'instrument')}, ${counted(instrument_days, 'start day')}, at most ${max_concurrent} windows of one ` +
    `instrument at once; ${disjoint} can be chosen without any overlap. Windows that overlap share one market move.`
  );
}

function ungradedWords({
  rejected,
  data_unavailable,
  suspected,
  wrong_security = 0,
}: NonNullable<Overview['ungraded']>): string {
  const reasons = data_unavailable.map(({ reason, total }) => `${total} for lack of data (${plain(reason)})`);
  const unexplained = suspected > 0 ? [`${suspected} graded by a price or a leap that nothing explains`] : [];
  const others = wrong_security > 0 ? [`${wrong_security} graded by the prices of another security`] : [];
  return `${[`${rejected} rejected`, ...reasons, ...unexplained, ...others].join(', ')}. They are in no other count.`;
}
