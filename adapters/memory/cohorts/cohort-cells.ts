import type { CohortCells } from '../../../domain/cohorts/cohort-cells.ts';

/** Here every read counts the records themselves, so that nothing is kept in advance. */
export function memoryCohortCells(): CohortCells {
  return {
    fold: async () => 0,
    foldTracks: async () => 0,
    extend: async () => 0,
    countMoves: async () => 0,
    unfolded: async () => ({ records: 0, since: null }),
    unfoldedChanges: async () => 0,
    check: async () => [],
    rebuild: async () => undefined,
  };
}
