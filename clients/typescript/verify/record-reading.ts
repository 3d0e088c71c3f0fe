import { type Continuation, type LeafAudit, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import type { TreeHead } from '../../../domain/log/tree/proof.ts';
import { growingTree, leafHash } from '../../../domain/log/tree/tree.ts';
import { leavesFrom, type ReadServed } from './read-log.ts';
import { sha256 } from './sha256.ts';

/** What a log says of the marks of a record. */
export interface MarkReading {
  /** Where the leaves with a mark are. */
  readonly marks: ReadonlyMap<string, readonly number[]>;
  /** The roots of the trees of some sizes. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
  /** What became of the leaves in the tree of the record. */
  readonly states: Pick<LeafAudit, 'stateOf' | 'reasonOf'>;
  /** The leaves by which the log goes on with another one. */
  readonly continued: readonly Continuation[];
  /** What is wrong with leaves, in words. */
  readonly faults: readonly string[];
}

/**
 * Reads all leaves of a log and looks for marks.
 * @param wanted the marks, hex
 * @param sizes of the trees whose roots are wanted; none is larger than the log
 * @param at the size of the tree whose states are wanted, one of them
 */
export async function readMarks(
  served: ReadServed,
  { size }: Pick<TreeHead, 'size'>,
  wanted: ReadonlySet<string>,
  sizes: ReadonlySet<number>,
  at: number,
): Promise<MarkReading> {
  const [audit, tree] = [leafAudit(), growingTree(sha256)];
  const marks = new Map<string, number[]>();
  const roots = new Map<number, Uint8Array>();
  const faults: string[] = [];
  let states = Uint8Array.of();
  while (tree.size() < size) {
    for (const leaf of await leavesFrom(served, tree.size(), size)) {
      const index = tree.size();
      const fault = audit.next(leaf);
      if (fault !== null) faults.push(`leaf ${index}: ${fault}`);
      const mark = markIn(leaf);
      if (mark !== null && wanted.has(mark)) marks.set(mark, [...(marks.get(mark) ?? []), index]);
      tree.append([leafHash(leaf, sha256)]);
      if (sizes.has(tree.size())) roots.set(tree.size(), tree.root());
      if (tree.size() === at) states = Uint8Array.from(audit.states());
    }
  }
  return { marks, roots, states: leafAudit(states), continued: audit.continuations(), faults };
}

const MARK = /^\{"c":"[0-9a-f]{64}","mark":"([0-9a-f]{64})"/;

function markIn(leaf: Uint8Array): string | null {
  return MARK.exec(new TextDecoder().decode(leaf))?.[1] ?? null;
}
