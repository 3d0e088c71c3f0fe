import { leanOf } from '../../../../application/cohorts/read-overview.ts';
import { type OwnerShare, ownerShare, shareSize } from '../../../../domain/cohorts/owner-share.ts';

/** The owners of the records of a cohort at one moment, with the ids of the records, in the order of their grading. */
export type Graded = readonly { readonly id: string; readonly owner: number }[];

/** The shares that one cohort shows at each of its moments; null where it shows none. */
export type ShareForm = (moments: readonly Graded[], minSamples: number) => readonly (OwnerShare | null)[];

/** The form of the service. */
export const ours: ShareForm = (moments, minSamples) =>
  moments.map((records) => {
    const size = sizeOf(records, minSamples);
    if (size === null) return null;
    const sample = records.slice(0, size);
    const ids = sample.map(({ id }) => id);
    return ownerShare(largestOf(sample), size, leanOf(ids.join(' '), 'a secret'));
  });

/** Forms that show which records are of the largest owner: an attack must detect them. */
export const LEAKY_FORMS: Readonly<Record<string, ShareForm>> = {
  'remembers what it showed last': (moments, minSamples) => {
    let last: OwnerShare | null = null;
    return moments.map((records) => {
      if (sizeOf(records, minSamples) === null) return null;
      const excess = largestOf(records) - records.length / 3;
      if (last === null || Math.abs(excess) > 1) last = excess > 0 ? 'more' : 'up_to_a_third';
      return last;
    });
  },
  'shows the exact share of all records': (moments, minSamples) =>
    moments.map((records) =>
      sizeOf(records, minSamples) === null ? null : ownerShare(largestOf(records), records.length, 0),
    ),
};

/** Null where the cohort shows no share. */
export function sizeOf(records: Graded, minSamples: number): number | null {
  return shareSize({ market: 'crypto', include_retroactive: true }, records.length, minSamples);
}

/** How many records the owner with the most has. */
export function largestOf(records: Graded): number {
  return Math.max(0, ...countsOf(records).values());
}

export function countsOf(records: Graded): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { owner } of records) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}
