import { ATLAS } from '../limits.ts';

/** Counts as the atlas shows them (settled.md section 10): a band, never a number. */
export const BANDS = ['5-9', '10-49', '50-199', '200+'] as const;
export type Band = (typeof BANDS)[number];

/** The least count that has a band: smaller ones are not shown, whatever the operator configures. */
export const LEAST_BANDED = ATLAS.countBands[0];

/** @throws RangeError below the lowest band */
export function bandOf(count: number): Band {
  const band = BANDS[ATLAS.countBands.findLastIndex((edge) => count >= edge)];
  if (!band) throw new RangeError(`${count} has no band`);
  return band;
}
