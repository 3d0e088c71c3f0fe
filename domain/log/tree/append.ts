import type { Sha256 } from './sha256.ts';
import { type NodeHash, nodeHash } from './tree.ts';

/** Consecutive nodes of one level: `hashes[i]` belongs to the node `{ level, index: from + i }`. */
export interface NodeRun {
  readonly level: number;
  readonly from: number;
  readonly hashes: readonly Uint8Array[];
}

/**
 * The nodes that a tree gains with further leaves, one run per level from the leaves up: none of them existed before,
 * and no other node changes.
 * @param size of the tree before
 * @param leaves the hashes of the appended leaves
 * @param hashOf reads at most the nodes of `nodesOf({ from: 0, to: size })`
 */
export function appendedNodes(
  size: number,
  leaves: readonly Uint8Array[],
  hashOf: NodeHash,
  sha256: Sha256,
): readonly NodeRun[] {
  const runs: NodeRun[] = [];
  let run: NodeRun = { level: 0, from: size, hashes: leaves };
  while (run.hashes.length > 0) {
    runs.push(run);
    run = parentsOf(run, hashOf, sha256);
  }
  return runs;
}

/** The parents that the nodes of a run complete. */
function parentsOf({ level, from, hashes }: NodeRun, hashOf: NodeHash, sha256: Sha256): NodeRun {
  const child = (index: number) => hashes[index - from] ?? hashOf({ level, index });
  const first = Math.floor(from / 2);
  const parents: Uint8Array[] = [];
  for (let index = first; 2 * index + 1 < from + hashes.length; index += 1) {
    parents.push(nodeHash(child(2 * index), child(2 * index + 1), sha256));
  }
  return { level: level + 1, from: first, hashes: parents };
}
