/** How much of a cohort the owner with the most records has (evaluation-2.md section 5). */
export const OWNER_SHARES = ['up to a third', 'more'] as const;
export type OwnerShare = (typeof OWNER_SHARES)[number];

/**
 * The share to show. It changes only when more than `MARGIN` records are above or below a third: one record more or less
 * never changes it to and fro, so that nobody learns by adding one whose the others are.
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
