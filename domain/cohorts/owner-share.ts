/** How much of a cohort the owner with the most records has (evaluation-2.md section 5). */
export const OWNER_SHARES = ['up to a third', 'more'] as const;
export type OwnerShare = (typeof OWNER_SHARES)[number];

/**
 * The share to show. Once shown, it changes only when the owner's records are more than `MARGIN` above or below a third.
 * So one record more or less never changes it back, and adding records one by one does not show whose the others are.
 * @param largest the records of the owner with the most
 * @param records all records of the cohort
 * @param before what was shown last; null when nothing was
 */
export function ownerShare(largest: number, records: number, before: OwnerShare | null): OwnerShare {
  const excess = largest - records / 3;
  if (before === null) return excess > 0 ? 'more' : 'up to a third';
  if (Math.abs(excess) <= MARGIN) return before;
  return excess > 0 ? 'more' : 'up to a third';
}

/** In records: adding one, or taking one away, changes the excess by less than one. */
const MARGIN = 2;
