import type { Ports } from '../ports.ts';

/** Small enough that a concurrent change of the counts, such as a quarantine, waits for less than a second or two. */
const BATCH = 2_000;

/** Takes everything that became public into the counts that are stored in advance; returns how many records. */
export async function foldCohorts({ cohortCells }: Pick<Ports, 'cohortCells'>): Promise<number> {
  let folded = 0;
  for (let batch = BATCH; batch === BATCH; folded += batch) batch = await cohortCells.fold(BATCH);
  return folded;
}

/**
 * From this many graded records on, the counts are not left to the next minute: reading them one by one begins to take
 * time.
 */
export const FOLD_SOON = 500;
