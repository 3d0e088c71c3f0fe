import {
  consistencyPath,
  inclusionPath,
  isConsistent,
  isIncluded,
  proofHashes,
  proofNodes,
  type TreeHead,
} from '../../../domain/log/tree/proof.ts';
import { nodesInTile, tileOfNode, tilePath, widthOf } from '../../../domain/log/tree/tile.ts';
import { type LeafRange, leafHash, type NodeAddress, type NodeHash } from '../../../domain/log/tree/tree.ts';
import type { ReadServed } from './read-log.ts';
import { sha256 } from './sha256.ts';

/** Whether the tree of a checkpoint has these bytes as a leaf, by the tiles that the log serves. */
export type HasLeaf = (index: number, leaf: Uint8Array) => Promise<boolean>;

export function treeOfLog(served: ReadServed, head: TreeHead): HasLeaf {
  const hashesOf = tilesOfLog(served, head);
  return async (index, leaf) => {
    if (!Number.isSafeInteger(index) || index < 0 || index >= head.size) return false;
    const hashes = await hashesOf(inclusionPath(index, head.size));
    return isIncluded({ index, hash: leafHash(leaf, sha256) }, head, hashes, sha256);
  };
}

/** Whether the tree of a checkpoint starts with another one, by the tiles that the log serves. */
export function prefixesOfLog(served: ReadServed, head: TreeHead): (before: TreeHead) => Promise<boolean> {
  const hashesOf = tilesOfLog(served, head);
  return async (before) => {
    if (before.size > head.size) return false;
    return isConsistent(before, head, await hashesOf(consistencyPath(before.size, head.size)), sha256);
  };
}

/** The hashes of ranges of a tree; each tile is read once. */
function tilesOfLog(served: ReadServed, { size }: TreeHead) {
  const tiles = new Map<string, NodeHash>();
  const pathOf = (node: NodeAddress) => {
    const { level, index } = tileOfNode(node);
    return tilePath({ level, index, width: widthOf({ level, index }, size) });
  };
  return async (path: readonly LeafRange[]) => {
    for (const file of new Set(proofNodes(path).map(pathOf))) {
      if (!tiles.has(file)) tiles.set(file, nodesInTile(await served(file), sha256));
    }
    const missing = nodesInTile(Uint8Array.of(), sha256);
    const hashOf: NodeHash = (node) => (tiles.get(pathOf(node)) ?? missing)(node);
    return proofHashes(path, hashOf, sha256);
  };
}
