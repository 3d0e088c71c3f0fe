import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';

/** Filters that every cell can answer: it keeps them apart whatever its rollup. */
const ALWAYS_KEPT = ['market', 'perspective_type', 'result_bucket'] as const;

export type KeptColumn = Exclude<(typeof EQUALITY_FILTERS)[number], (typeof ALWAYS_KEPT)[number]>;

/** What a rollup may keep apart or not. */
export const KEPT_COLUMNS = EQUALITY_FILTERS.filter((field): field is KeptColumn => !isAlwaysKept(field));

function isAlwaysKept(field: string): boolean {
  return ALWAYS_KEPT.some((kept) => kept === field);
}

export const PERIODS = ['month', 'day', 'six_hours'] as const;
export type Period = (typeof PERIODS)[number];
/** What the periods are of. */
export type PeriodClock = 'data_cutoff' | 'evaluated_at';

/** Rollups that keep the same columns apart; app.cohort_rollups says the same. */
export interface Grain {
  readonly name: string;
  readonly keeps: readonly KeptColumn[];
  /** The rollup over all of time. */
  readonly all: number;
  /** Rollups by periods, where there are any. */
  readonly data_cutoff?: Readonly<Partial<Record<Period, number>>>;
  readonly evaluated_at?: Readonly<Partial<Record<Period, number>>>;
}

const CALLS = ['direction', 'analysis_class'] as const;
const VENUE = ['venue', 'asset_class', 'quote_currency'] as const;
const HORIZON = ['horizon_kind', 'horizon_value'] as const;

/** Those with fewer cells to a market first. */
export const GRAINS: readonly Grain[] = [
  {
    name: 'market',
    keeps: [],
    all: 1,
    data_cutoff: { month: 2, day: 3, six_hours: 28 },
    evaluated_at: { month: 4, day: 5, six_hours: 29 },
  },
  {
    name: 'calls',
    keeps: CALLS,
    all: 6,
    data_cutoff: { month: 7, day: 8 },
    evaluated_at: { month: 9, day: 10 },
  },
  { name: 'horizons', keeps: [...CALLS, ...HORIZON], all: 11, data_cutoff: { month: 12 } },
  { name: 'venues', keeps: VENUE, all: 13, data_cutoff: { month: 14 }, evaluated_at: { month: 15, day: 16 } },
  { name: 'venue_calls', keeps: [...VENUE, ...CALLS], all: 17 },
  { name: 'venue_horizons', keeps: [...VENUE, ...HORIZON], all: 18 },
  { name: 'venue_call_horizons', keeps: [...VENUE, ...CALLS, ...HORIZON], all: 19 },
  { name: 'symbols', keeps: ['symbol'], all: 20, data_cutoff: { month: 21 }, evaluated_at: { month: 22 } },
  { name: 'symbol_horizons', keeps: ['symbol', ...HORIZON], all: 23 },
  { name: 'instruments', keeps: ['symbol', ...VENUE], all: 24 },
  { name: 'instrument_calls', keeps: ['symbol', ...VENUE, ...CALLS], all: 25 },
  { name: 'cohort_keys', keeps: ['cohort_key'], all: 26 },
  { name: 'everything', keeps: KEPT_COLUMNS, all: 27 },
];
