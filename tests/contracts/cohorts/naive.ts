import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortCounts, CohortSummary } from '../../../domain/cohorts/cohort-reader.ts';
import type { Direction } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { hadSaid, moveZ } from '../../../domain/grading/bucket.ts';
import { MINUTE } from '../../../domain/time.ts';
import { filteredValue, isCounted } from './outcome-parts.ts';

/** The members of a cohort by the letter of the contract, in the order of (data_cutoff, record_id). */
export function membersOf(records: readonly Decision[], filter: CohortFilter): Decision[] {
  const { data_cutoff_since, data_cutoff_until, as_of, include_retroactive, ...equal } = filter;
  const isOneHorizon = equal.horizon_kind !== undefined && equal.horizon_value !== undefined;
  const members = records.filter((record) => {
    if (record.lifecycle_state !== 'evaluated' || !record.evaluated_at) return false;
    if (!isCounted(record, include_retroactive)) return false;
    if ((record.group_place ?? 1) > 1 && !isOneHorizon) return false;
    if (data_cutoff_since && record.data_cutoff < data_cutoff_since) return false;
    if (data_cutoff_until && record.data_cutoff >= data_cutoff_until) return false;
    if (as_of && Math.ceil(record.evaluated_at.getTime() / MINUTE) * MINUTE > as_of.getTime()) return false;
    return Object.entries(equal).every(
      ([name, value]) => filteredValue(record, name as keyof Decision | 'grid') === value,
    );
  });
  return members.toSorted((a, b) => {
    const difference = Number(a.data_cutoff) - Number(b.data_cutoff);
    return difference || (a.record_id < b.record_id ? -1 : 1);
  });
}

/** The most records of one owner among the first `size` of the members that were graded; null when there are fewer. */
export function naiveLargest(members: readonly Decision[], size: number): number | null {
  if (members.length < size) return null;
  const graded = members.toSorted((a, b) => {
    const difference = Number(a.evaluated_at) - Number(b.evaluated_at);
    return difference || (a.record_id < b.record_id ? -1 : 1);
  });
  const counts = new Map<string, number>();
  for (const { owner_id } of graded.slice(0, size)) counts.set(owner_id, (counts.get(owner_id) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** What a summary must contain, but its moment and its edition. @param counts whether an owner counts as a producer */
export function naiveSummary(
  records: readonly Decision[],
  filter: CohortFilter,
  producers: number,
  counts: (owner_id: string) => boolean = () => true,
): Omit<CohortSummary, 'moment' | 'edition'> {
  const { result_bucket: _, data_cutoff_since: __, data_cutoff_until: ___, as_of: ____, ...rest } = filter;
  const { method: _____, grid: ______, ...whole } = rest;
  const members = membersOf(records, filter);
  const { samples, enoughProducers } = naiveCounts(membersOf(records, whole), producers, counts);
  const graded = members.map(({ evaluated_at }) => Number(evaluated_at));
  return {
    result: naiveCounts(members, producers, counts),
    lastGraded: members.length === 0 ? null : new Date(Math.max(...graded)),
    whole: { samples, enoughProducers },
  };
}

function naiveCounts(
  members: readonly Decision[],
  producers: number,
  counts: (owner_id: string) => boolean,
): CohortCounts {
  const count = (of: (record: Decision) => boolean) => members.filter(of).length;
  const bucket = (name: string) => count(({ result_bucket }) => result_bucket === name);
  const perspectives = [...Map.groupBy(members, ({ perspective_type }) => perspective_type)];
  return {
    samples: members.length,
    retroactive: count(({ submission_origin }) => submission_origin === 'retroactive'),
    buckets: {
      strong_correct: bucket('strong_correct'),
      weak_correct: bucket('weak_correct'),
      weak_incorrect: bucket('weak_incorrect'),
      strong_incorrect: bucket('strong_incorrect'),
    },
    had_said: {
      bullish: hadSaidBy(members, 'bullish'),
      bearish: hadSaidBy(members, 'bearish'),
      neutral: hadSaidBy(members, 'neutral'),
    },
    earliest: members.at(0)?.data_cutoff ?? null,
    latest: members.at(-1)?.data_cutoff ?? null,
    perspectives: perspectives
      .map(([perspective_type, all]) => ({ perspective_type, total: all.length }))
      .toSorted((a, b) => b.total - a.total || order(a.perspective_type) - order(b.perspective_type)),
    enoughProducers: new Set(members.map(({ owner_id }) => owner_id).filter(counts)).size >= producers,
  };
}

function hadSaidBy(members: readonly Decision[], said: Direction) {
  const bucket = (name: string) =>
    members.filter(({ direction, facts }) => facts && hadSaid(moveZ(direction, facts))[said] === name).length;
  return {
    strong_correct: bucket('strong_correct'),
    weak_correct: bucket('weak_correct'),
    weak_incorrect: bucket('weak_incorrect'),
    strong_incorrect: bucket('strong_incorrect'),
  };
}

/** Equal totals are in the order of the contract, records without a perspective last. */
function order(perspective: string | null): number {
  const place = ['technical', 'fundamental', 'sentiment'].indexOf(perspective ?? '');
  return place < 0 ? 9 : place;
}
