import type { CohortFilter } from '../../../../domain/cohorts/cohort-filter.ts';
import { DIRECTIONS, PERSPECTIVE_TYPES } from '../../../../domain/decisions/call.ts';
import type { Decision } from '../../../../domain/decisions/decision.ts';
import { publicEvaluationTime } from '../../../../domain/decisions/views/public-views.ts';
import { RESULT_BUCKETS } from '../../../../domain/grading/outcome.ts';
import { DAY, HOUR } from '../../../../domain/time.ts';
import { aDecision } from '../../../builders/decision-records.ts';
import { anOutcome } from '../../../builders/outcomes.ts';
import {
  factsOf,
  filteredValue,
  isCounted,
  methodOf,
  type OutcomePart,
} from '../../../contracts/cohorts/outcome-parts.ts';

/** Numbers in [0, 1) from a seed. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The end of a month: some days of two months, so that days, months and all time are different periods. */
const SPAN = Date.UTC(2026, 0, 30);
const DAYS = 4;

/**
 * Public records of few kinds, some of them lopsided, by up to `owners` producers, in the order of their data. The
 * owners are what an attacker does not see.
 */
export function population(random: Random, size: number, owners: number): readonly Decision[] {
  const below = (most: number) => Math.floor(random() * most);
  const kinds = { direction: 1 + below(2), perspective: 1 + below(3), horizon: 1 + below(2), bucket: 1 + below(3) };
  const skew = random();
  const kind = (most: number) => (random() < skew ? 0 : below(most));
  const moment = () => new Date(SPAN + below(DAYS) * DAY + below(24) * HOUR + below(HOUR));
  const weights = Array.from({ length: owners }, () => random() ** 2 + 0.1);
  const records = Array.from({ length: size }, (_, i) =>
    aDecision({
      record_id: `dec_20260301_${i.toString(16).padStart(8, '0')}`,
      owner_id: `owner ${weighted(random, weights)}`,
      direction: DIRECTIONS[kind(kinds.direction)] ?? 'neutral',
      perspective_type: PERSPECTIVE_TYPES[kind(kinds.perspective)] ?? null,
      horizon_value: 3_600 * (1 + kind(kinds.horizon)),
      result_bucket: RESULT_BUCKETS[kind(kinds.bucket)] ?? null,
      submission_origin: random() < 0.1 ? 'retroactive' : 'realtime',
      data_cutoff: moment(),
      evaluated_at: moment(),
    }),
  );
  return inParts(random, records).toSorted((a, b) => Number(a.data_cutoff) - Number(b.data_cutoff));
}

/** Records by up to three of the methods and grids, and now and then one with a carried open. */
function inParts(random: Random, records: readonly Decision[]): readonly Decision[] {
  const parts = ['eval/1', 'fine', 'coarse'].slice(0, 1 + Math.floor(random() * 3)) as readonly OutcomePart[];
  const skew = random();
  return records.map((record) => {
    const place = random() < skew ? 0 : Math.floor(random() * parts.length);
    const part = random() < 0.05 ? 'carried_open' : (parts[place] ?? 'fine');
    return { ...record, method: methodOf(part), facts: factsOf(part, anOutcome().facts) };
  });
}

function weighted(random: Random, weights: readonly number[]): number {
  const place = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const ends = weights.map((_, i) => weights.slice(0, i + 1).reduce((sum, weight) => sum + weight, 0));
  return ends.findIndex((end) => place < end);
}

/** The owner of each record: equal numbers are one owner. From `UNCOUNTED` on they do not count as producers. */
export type Partition = readonly number[];

export const UNCOUNTED = 16;
const COUNTED = 2 ** UNCOUNTED - 1;

/** The same owners, of whom only these count. */
export function countingOnly(partition: Partition, counts: (owner: number) => boolean): Partition {
  return partition.map((owner) => (counts(owner) ? owner : owner + UNCOUNTED));
}

export function ownersOf(records: readonly Decision[]): Partition {
  const names = [...new Set(records.map(({ owner_id }) => owner_id))];
  return records.map(({ owner_id }) => names.indexOf(owner_id));
}

/** A set of records, the n-th one as the bit 2^n. */
export type Mask = number;

export function maskOf(records: readonly Decision[], matches: (record: Decision) => boolean): Mask {
  return records.reduce((mask, record, i) => (matches(record) ? mask | (1 << i) : mask), 0);
}

export function sizeOf(mask: Mask): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}

/** How many owners made the records of the set, of those that count. */
export function producersOf(partition: Partition, mask: Mask): number {
  let owners = 0;
  for (let left = mask; left !== 0; left &= left - 1) owners |= 1 << (partition[31 - Math.clz32(left & -left)] ?? 0);
  return sizeOf(owners & COUNTED);
}

/** The one value of a filter, with what it selects. */
export interface Choice {
  readonly filter: Partial<CohortFilter>;
  readonly mask: Mask;
}

/** Every value that a filter can have here, the first one being none. */
export function choices(records: readonly Decision[]) {
  const equal = <F extends 'direction' | 'perspective_type' | 'horizon_value' | 'result_bucket' | 'method' | 'grid'>(
    field: F,
  ): Choice[] => [
    { filter: {}, mask: -1 },
    ...[...new Set(records.map((record) => filteredValue(record, field)))].flatMap((value) =>
      value === null
        ? []
        : [{ filter: { [field]: value }, mask: maskOf(records, (record) => filteredValue(record, field) === value) }],
    ),
  ];
  const times = [undefined, ...records.map(({ data_cutoff }) => data_cutoff)];
  const windows = times.flatMap((since, i) =>
    [...times.slice(i + 1), undefined].map((until): Choice => {
      const filter = { ...(since && { data_cutoff_since: since }), ...(until && { data_cutoff_until: until }) };
      return {
        filter,
        mask: maskOf(records, ({ data_cutoff: at }) => (!since || at >= since) && (!until || at < until)),
      };
    }),
  );
  const moments = records.map(({ evaluated_at }) => publicEvaluationTime(evaluated_at ?? new Date(0)));
  return {
    direction: equal('direction'),
    perspective: equal('perspective_type'),
    // All of them are in seconds, so that a value pins the horizon.
    horizon: equal('horizon_value').map(({ filter, mask }) => ({
      filter: filter.horizon_value === undefined ? {} : { horizon_kind: 'holding_seconds' as const, ...filter },
      mask,
    })),
    bucket: equal('result_bucket'),
    method: equal('method'),
    grid: equal('grid'),
    origin: [true, false].map((include_retroactive): Choice => {
      const mask = maskOf(records, (record) => isCounted(record, include_retroactive));
      return { filter: { include_retroactive }, mask };
    }),
    windows,
    asOf: [
      { filter: {}, mask: -1 },
      ...moments.map((as_of) => {
        const isIn = ({ evaluated_at }: Decision) =>
          evaluated_at !== null && publicEvaluationTime(evaluated_at) <= as_of;
        return { filter: { as_of }, mask: maskOf(records, isIn) };
      }),
    ] as readonly Choice[],
  };
}
