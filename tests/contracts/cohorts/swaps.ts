import type { Storage } from '../../../application/ports.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortSummary } from '../../../domain/cohorts/cohort-reader.ts';
import { race } from '../adapters.ts';

/** A record that is public and one that is under quarantine. */
export interface Pair {
  readonly shown: string;
  readonly hidden: string;
}

/** How often each pair changes places; a reader of two statements is caught in as many (cohort-controls.control.ts). */
export const SWAP_ROUNDS = 6;

/**
 * Each pair changes places again and again, in one transaction each time, so that as many records are public at every
 * moment, while counts are folded, begun by periods and read. What was read.
 */
export async function readDuringSwaps(
  storage: Pick<Storage, 'transaction' | 'cohorts' | 'cohortCells' | 'clock'>,
  pairs: readonly Pair[],
  filter: CohortFilter,
  { rounds, readers, folders }: { readonly rounds: number; readonly readers: number; readonly folders: number },
): Promise<CohortSummary[]> {
  let swapping = true;
  const now = await storage.clock.now();
  const swaps = pairs.map(async (pair) => {
    for (let round = 0; round < rounds; round += 1) {
      const [leaves, comes] = round % 2 === 0 ? [pair.shown, pair.hidden] : [pair.hidden, pair.shown];
      await storage.transaction(async ({ moderation, audit }) => {
        await moderation.quarantine(leaves, 'a swap', now);
        await moderation.release(comes);
        await audit.append({ actor: 'a test', action: 'quarantine', subject: leaves, detail: {} });
        await audit.append({ actor: 'a test', action: 'release', subject: comes, detail: {} });
      });
    }
  });
  const ended = Promise.all(swaps).finally(() => {
    swapping = false;
  });
  const folding = race(folders, async () => {
    while (swapping) {
      await storage.cohortCells.fold(3);
      await storage.cohortCells.extend(0);
    }
  });
  const reading = race(readers, async () => {
    const read: CohortSummary[] = [];
    while (swapping) read.push(await storage.cohorts.summarise(filter, 1));
    return read;
  });
  await Promise.all([ended, folding]);
  return (await reading).flat();
}

/** The sets of records that were read under each edition during such swaps; a set is named by a sample of all of it. */
export async function setsByEdition(
  storage: Parameters<typeof readDuringSwaps>[0],
  pairs: readonly Pair[],
  filter: CohortFilter,
  extent: Parameters<typeof readDuringSwaps>[3],
): Promise<readonly ReadonlySet<string>[]> {
  const sets = new Map<string, Set<string>>();
  const cohorts: typeof storage.cohorts = {
    ...storage.cohorts,
    async summarise(...asked) {
      const summary = await storage.cohorts.summarise(...asked);
      const { edition = '', moment, result } = summary;
      // Null where a record has left since.
      const all = await storage.cohorts.largestOwner(filter, moment, result.samples);
      if (all) sets.set(edition, (sets.get(edition) ?? new Set()).add(all.sample));
      return summary;
    },
  };
  await readDuringSwaps({ ...storage, cohorts }, pairs, filter, extent);
  return [...sets.values()];
}
