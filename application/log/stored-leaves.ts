import { Malformed } from '../../domain/log/encoding.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import { leavesOfBundle, MOST_TILE_WIDTH } from '../../domain/log/tree/tile.ts';
import type { LeafRange } from '../../domain/log/tree/tree.ts';
import type { Ports } from '../ports.ts';

export type LogCheckPorts = Pick<Ports, 'log' | 'logEvidence' | 'canonicalJson'>;

/** Reports what is wrong with something, in words. */
export type NoteFaults = (about: string, faults: readonly string[]) => void;

/** The leaves of a range within an entry bundle; a fault where some are not stored. */
export async function storedLeaves(
  { log: store }: LogCheckPorts,
  { log, origin }: StoredLog,
  { from, to }: LeafRange,
  note: NoteFaults,
): Promise<readonly Uint8Array[]> {
  const index = Math.floor(from / MOST_TILE_WIDTH);
  const about = `entry bundle ${index} of ${origin}`;
  try {
    const bundle = await store.bundle(log, index);
    const leaves = bundle ? leavesOfBundle(bundle).slice(from % MOST_TILE_WIDTH, to - index * MOST_TILE_WIDTH) : [];
    const missing = to - from - leaves.length;
    if (missing > 0) note(about, [`${missing} of its leaves are gone; the leaves after it were not checked`]);
    return leaves;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    note(about, [error.message]);
    return [];
  }
}
