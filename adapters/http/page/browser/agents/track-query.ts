const NAMES = [
  'symbol',
  'direction',
  'date_from',
  'date_to',
  'holding_seconds_min',
  'holding_seconds_max',
  'origin',
] as const;

/** What a track record counts, as its address names it. `origin` is the page's own: the reply has both. */
export type TrackFilters = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

export function trackFilters(query: URLSearchParams): TrackFilters {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = query.get(name)?.trim();
      return value ? [[name, value]] : [];
    }),
  );
}

export function trackAddress(agentId: string, filters: TrackFilters): string {
  const query = new URLSearchParams(filters).toString();
  return `#/track/${agentId}${query === '' ? '' : `?${query}`}`;
}

export function recordPath(agentId: string, { origin: _, ...filters }: TrackFilters): string {
  const query = new URLSearchParams(filters).toString();
  return `/api/v1/owner/agents/${encodeURIComponent(agentId)}/track-record${query === '' ? '' : `?${query}`}`;
}

/** What the address names; otherwise decisions that were stated before the prices were known, if there are any. */
export function originOf({ origin }: TrackFilters, realtime: number): 'realtime' | 'retroactive' {
  if (origin === 'realtime' || origin === 'retroactive') return origin;
  return realtime > 0 ? 'realtime' : 'retroactive';
}

export interface HorizonRange {
  readonly name: string;
  /** Seconds, both included. */
  readonly from: number;
  readonly to: number | null;
}

const [HOUR, DAY] = [3_600, 86_400];

/** Every horizon in seconds is in one of them. */
export const HORIZON_RANGES: readonly HorizonRange[] = [
  { name: 'up to an hour', from: 0, to: HOUR },
  { name: 'up to a day', from: HOUR + 1, to: DAY },
  { name: 'up to a week', from: DAY + 1, to: 7 * DAY },
  { name: 'up to 30 days', from: 7 * DAY + 1, to: 30 * DAY },
  { name: 'longer', from: 30 * DAY + 1, to: null },
];
