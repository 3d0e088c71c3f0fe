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
