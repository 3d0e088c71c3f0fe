import { COHORT } from '../../domain/limits.ts';
import { isImporting } from '../market/names.ts';
import type { Ports } from '../ports.ts';

/** Small enough that a concurrent change of the counts, such as a quarantine, waits for less than a second or two. */
const BATCH = 2_000;

/** Brings all counts that are stored in advance up to date. An import of names holds their locks to its end. */
export async function foldAll(ports: Pick<Ports, 'cohortCells' | 'evaluations'>): Promise<void> {
  if (await isImporting(ports)) return;
  await foldCohorts(ports);
  await foldTracks(ports);
  await countOldMoves(ports);
  await extendCohorts(ports);
}

/** Takes everything that became public into the counts that are stored in advance; returns how many records. */
export function foldCohorts({ cohortCells }: Pick<Ports, 'cohortCells'>): Promise<number> {
  return all((limit) => cohortCells.fold(limit));
}

/** Takes all changes of records into the counts of agents and workflows; returns how many. */
export function foldTracks({ cohortCells }: Pick<Ports, 'cohortCells'>): Promise<number> {
  return all((limit) => cohortCells.foldTracks(limit));
}

async function all(fold: (limit: number) => Promise<number>): Promise<number> {
  let folded = 0;
  for (let batch = BATCH; batch === BATCH; folded += batch) batch = await fold(BATCH);
  return folded;
}

/** Small enough that the next minute's fold is not late: each reads all records of a market. */
const MOST_EXTENSIONS = 4;

/** Begins the counts by periods that the markets are large enough for by now, some of them in each sweep. */
async function extendCohorts({ cohortCells }: Pick<Ports, 'cohortCells'>): Promise<void> {
  for (let more = 1, i = 0; more > 0 && i < MOST_EXTENSIONS; i++) more = await cohortCells.extend(COHORT.cellsFrom);
}

/** Small enough that the next minute's fold is not late: after an upgrade there may be millions of old records. */
const MOST_OLD_BATCHES = 20;

/**
 * Counts what an earlier release graded by what each direction would have got, a part of it in each sweep. Returns how
 * many records.
 */
export async function countOldMoves({ cohortCells }: Pick<Ports, 'cohortCells'>): Promise<number> {
  let counted = 0;
  for (let i = 0; i < MOST_OLD_BATCHES && counted === i * BATCH; i++) counted += await cohortCells.countMoves(BATCH);
  return counted;
}

/**
 * From this many graded records on, the counts are not left to the next minute: reading them one by one begins to take
 * time.
 */
export const FOLD_SOON = 500;
