import fc from 'fast-check';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { filteredValue } from './outcome-parts.ts';

const EQUAL = [
  'symbol',
  'venue',
  'asset_class',
  'quote_currency',
  'cohort_key',
  'direction',
  'analysis_class',
  'perspective_type',
  'horizon_kind',
  'horizon_value',
  'result_bucket',
  'method',
  'grid',
] as const;

/** Filters whose values come from one record, so that they select it unless its times are out of bounds. */
export function filtersOver(records: readonly Decision[]): fc.Arbitrary<CohortFilter> {
  const times = records.flatMap(({ data_cutoff, evaluated_at }) => [data_cutoff, evaluated_at ?? data_cutoff]);
  const time = fc
    .tuple(fc.constantFrom(...times), fc.constantFrom(0, 1, -1, 3_600_000, -86_400_000), fc.constantFrom(...FLOORS))
    .map(([at, off, floor]) => new Date(floor(at.getTime() + off)));
  return fc
    .record({
      like: fc.constantFrom(...records),
      asked: fc.oneof(fc.subarray([...EQUAL], { maxLength: 3 }), fc.subarray([...EQUAL])),
      since: fc.option(time, { freq: 2, nil: undefined }),
      until: fc.option(time, { freq: 2, nil: undefined }),
      as_of: fc.option(time, { freq: 1, nil: undefined }),
      include_retroactive: fc.boolean(),
    })
    .map(({ like, asked, since, until, as_of, include_retroactive }) => ({
      market: like.market,
      include_retroactive,
      ...Object.fromEntries(
        asked.filter((name) => filteredValue(like, name) !== null).map((name) => [name, filteredValue(like, name)]),
      ),
      ...(since ? { data_cutoff_since: since } : {}),
      ...(until ? { data_cutoff_until: until } : {}),
      ...(as_of ? { as_of } : {}),
    }));
}

/** Whole days and months are where cells begin. */
const FLOORS = [
  (at: number) => at,
  (at: number) => Math.ceil(at / 60_000) * 60_000,
  (at: number) => Math.floor(at / 86_400_000) * 86_400_000,
  (at: number) => Date.UTC(new Date(at).getUTCFullYear(), new Date(at).getUTCMonth()),
];

/** Each filter alone, with each value that there is. */
export function singleFilters(records: readonly Decision[]): CohortFilter[] {
  const alone = records.flatMap((record) => {
    const base = { market: record.market, include_retroactive: true };
    const { data_cutoff, evaluated_at } = record;
    return [
      base,
      { ...base, include_retroactive: false },
      ...EQUAL.filter((name) => filteredValue(record, name) !== null).map((name) => ({
        ...base,
        [name]: filteredValue(record, name),
      })),
      { ...base, data_cutoff_since: data_cutoff },
      { ...base, data_cutoff_until: data_cutoff },
      { ...base, ...(evaluated_at ? { as_of: evaluated_at } : {}) },
    ];
  });
  return [...new Map(alone.map((filter) => [JSON.stringify(filter), filter])).values()];
}
