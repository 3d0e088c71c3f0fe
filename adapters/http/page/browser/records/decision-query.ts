/** The filters of the list of own decisions, as its address and the request name them; empty: not filtered. */
export const FILTERS = [
  'agent_id',
  'group_id',
  'market',
  'symbol',
  'direction',
  'lifecycle_state',
  'result_bucket',
  'submitted_since',
  'submitted_until',
  'evaluated_since',
  'submission_origin',
  'ended_since',
  'ended_until',
  'include_archived',
] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Readonly<Partial<Record<Filter, string>>>;

const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;

/** The filters of an address; what is no filter is left out. */
export function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

/** What an address of the list says besides its filters. */
export interface ListPlace {
  /** Of an older page. */
  readonly cursor?: string | null;
  /** A column of the page, with a minus in front where the greatest is first; the newest first without it. */
  readonly sort?: string | null;
  /** The decision that is open next to the list. */
  readonly record?: string | null;
}

export function placeOf(query: URLSearchParams): Required<ListPlace> {
  return { cursor: query.get('cursor'), sort: query.get('sort'), record: query.get('record') };
}

/** The address of a page of the list: it survives a reload, and going back returns to the page before. */
export function listAddress(filters: Filters, { cursor, sort, record }: ListPlace = {}): string {
  const place = { ...(cursor && { cursor }), ...(sort && { sort }), ...(record && { record }) };
  const query = new URLSearchParams({ ...filters, ...place }).toString();
  return `#/own${query === '' ? '' : `?${query}`}`;
}

/** The request of a page. Dates mean whole days of UTC, the last one included. */
export function listPath(filters: Filters, cursor: string | null, limit: number): string {
  const sent = Object.entries(filters).map(([name, value]) => {
    const [, end] = /^(?:submitted|ended|evaluated)_(since|until)$/.exec(name) ?? [];
    return [name, end === undefined ? value : dayStart(value, end === 'since' ? 0 : 1)];
  });
  const query = new URLSearchParams({
    ...Object.fromEntries(sent),
    limit: String(limit),
    ...(cursor === null ? {} : { cursor }),
  });
  return `/api/v1/owner/decisions?${query}`;
}

/**
 * The track record that counts what the filters select, of any agent of the owner; null where no track record does, and
 * the list has no total.
 */
export function totalsPath(filters: Filters, agentId: string): string | null {
  const { agent_id, symbol, direction, result_bucket, submitted_since, submitted_until, ...others } = filters;
  if (Object.keys(others).length > 0) return null;
  const query = new URLSearchParams({
    ...(symbol && { symbol }),
    ...(direction && { direction }),
    ...(result_bucket && { result_bucket }),
    ...(submitted_since && { date_from: submitted_since }),
    ...(submitted_until && { date_to: submitted_until }),
  });
  const path = `/api/v1/owner/agents/${encodeURIComponent(agent_id ?? agentId)}/track-record`;
  return query.size === 0 ? path : `${path}?${query}`;
}

const DAY = 86_400_000;

/** What is no date is sent as it is: the service says what is wrong with it. */
function dayStart(date: string, later: number): string {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? date : new Date(time + later * DAY).toISOString();
}

/** The rows of a list, those of a decision group as one: the horizon that leads, as far as it is here, and the others. */
export function groupedRows<Row extends GroupedRow>(rows: readonly Row[]): readonly (readonly [Row, ...Row[]])[] {
  const groups = Map.groupBy(rows, ({ group, record_id }) => group?.id ?? record_id);
  return [...groups.values()].map((each) => {
    const [first, ...others] = each.toSorted((a, b) => (a.group?.place ?? 0) - (b.group?.place ?? 0));
    if (!first) throw new TypeError('No group is empty');
    return [first, ...others] as const;
  });
}

/** The groups of a page whose end may cut one: with the members that are known of each. */
export function wholeGroups<Row extends GroupedRow>(
  groups: readonly (readonly [Row, ...Row[]])[],
  known: readonly Row[],
): readonly (readonly [Row, ...Row[]])[] {
  return groups.map((rows) => {
    const [{ group }] = rows;
    const ids = new Set(rows.map(({ record_id }) => record_id));
    const others = known.filter((row) => group !== null && row.group?.id === group.id && !ids.has(row.record_id));
    return groupedRows([...rows, ...others])[0] ?? rows;
  });
}

interface GroupedRow {
  readonly record_id: string;
  readonly group: { readonly id: string; readonly of: number; readonly place: number } | null;
}

/** What was typed into the search: an id of a decision, which has a view of its own, or a symbol. */
export function searched(typed: string): { readonly record: string } | { readonly symbol: string } {
  const text = typed.trim();
  return RECORD_ID.test(text) ? { record: text } : { symbol: text };
}
