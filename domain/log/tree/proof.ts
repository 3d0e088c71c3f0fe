import { base64Of, bytesOfBase64, equalBytes, hashOfBase64, Malformed, numberOfDecimal } from '../encoding.ts';
import { type LeafRange, leftSize, type NodeHash, nodeHash, nodesOf, rangeHash, type Sha256 } from './tree.ts';

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';
/** A tree has no more levels than these: tlog-witness has the same limit. */

const MOST_HASHES = 63;

/**
 * The subtrees whose roots prove that the leaf `index` is in the tree of `size` leaves, from the leaf's sibling upwards:
 * `PATH(m, D[n])` of RFC 6962, section 2.1.1. Each consists of the nodes of `nodesOf`.
 * @param index less than `size`
 */
export function inclusionPath(index: number, size: number): readonly LeafRange[] {
  return pathWithin(index, { from: 0, to: size });
}

/**
 * The subtrees whose roots prove that the tree of `size` leaves starts with that of `oldSize`: `PROOF(m, D[n])` of RFC
 * 6962, section 2.1.2. Empty for two equal sizes, and from the empty tree (tlog-witness, "add-checkpoint").
 * @param oldSize at most `size`
 */
export function consistencyPath(oldSize: number, size: number): readonly LeafRange[] {
  return oldSize === 0 ? [] : subproof(oldSize, { from: 0, to: size });
}

/** The hashes of a proof. @param hashOf reads at most the nodes of these ranges */
export function proofHashes(path: readonly LeafRange[], hashOf: NodeHash, sha256: Sha256): readonly Uint8Array[] {
  return path.map((range) => rangeHash(range, hashOf, sha256));
}

/** The nodes to read before `proofHashes`. */
export function proofNodes(path: readonly LeafRange[]): ReturnType<typeof nodesOf> {
  return path.flatMap(nodesOf);
}

function pathWithin(index: number, { from, to }: LeafRange): readonly LeafRange[] {
  if (to - from === 1) return [];
  const middle = from + leftSize(to - from);
  const [left, right] = [
    { from, to: middle },
    { from: middle, to },
  ];
  return index < middle ? [...pathWithin(index, left), right] : [...pathWithin(index, right), left];
}

/** `SUBPROOF(m, D[n], b)` of RFC 6962, section 2.1.2: the verifier knows the root of the old tree alone. */
function subproof(oldSize: number, { from, to }: LeafRange): readonly LeafRange[] {
  if (oldSize === to) return from === 0 ? [] : [{ from, to }];
  const middle = from + leftSize(to - from);
  const [left, right] = [
    { from, to: middle },
    { from: middle, to },
  ];
  return oldSize <= middle ? [...subproof(oldSize, left), right] : [...subproof(oldSize, right), left];
}

/** What the root of a tree of `size` leaves is said to be. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * Whether the hashes prove that the tree has this leaf hash at `index` (RFC 9162, section 2.1.3.2).
 * @param hashes each of 32 bytes
 */
export function isIncluded(
  leaf: { readonly index: number; readonly hash: Uint8Array },
  { size, root }: TreeHead,
  hashes: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (leaf.index >= size) return false;
  let at: Position = { node: leaf.index, last: size - 1 };
  let hash = leaf.hash;
  for (const sibling of hashes) {
    if (at.last === 0) return false;
    hash = isRightChild(at) ? nodeHash(sibling, hash, sha256) : nodeHash(hash, sibling, sha256);
    at = nextPosition(at);
  }
  return at.last === 0 && equalBytes(hash, root);
}

/**
 * Whether the hashes prove that the new tree starts with all leaves of the old one (RFC 9162, section 2.1.4.2). Every
 * tree starts with the empty one, which needs no hash (tlog-witness, "add-checkpoint").
 * @param hashes each of 32 bytes
 */
export function isConsistent(
  before: TreeHead,
  after: TreeHead,
  hashes: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (before.size > after.size) return false;
  if (before.size === after.size) return hashes.length === 0 && equalBytes(before.root, after.root);
  if (before.size === 0) return hashes.length === 0 && equalBytes(before.root, sha256());
  return leadsToBoth(before, after, hashes, sha256);
}

/** @param before at least one leaf, and fewer than `after` */
function leadsToBoth(before: TreeHead, after: TreeHead, hashes: readonly Uint8Array[], sha256: Sha256): boolean {
  let at: Position = { node: before.size - 1, last: after.size - 1 };
  while (at.node % 2 === 1) at = parentOf(at);
  const [first, ...siblings] = at.node === 0 ? [before.root, ...hashes] : hashes;
  if (!first || hashes.length === 0) return false;
  let [old, grown] = [first, first];
  for (const sibling of siblings) {
    if (at.last === 0) return false;
    const isRight = isRightChild(at);
    if (isRight) old = nodeHash(sibling, old, sha256);
    grown = isRight ? nodeHash(sibling, grown, sha256) : nodeHash(grown, sibling, sha256);
    at = nextPosition(at);
  }
  return at.last === 0 && equalBytes(old, before.root) && equalBytes(grown, after.root);
}

/** A node on the way to the root, and the last node of its level: `fn` and `sn` of RFC 9162. */
interface Position {
  readonly node: number;
  readonly last: number;
}

/** Whether the sibling in a proof is on the left of a node: the last node of a level has none on its right. */
function isRightChild({ node, last }: Position): boolean {
  return node % 2 === 1 || node === last;
}

/** After the hash with a sibling: a node at the right edge without a sibling is its own parent. */
function nextPosition(at: Position): Position {
  let next = at;
  if (isRightChild(at)) while (next.node % 2 === 0 && next.node !== 0) next = parentOf(next);
  return parentOf(next);
}

function parentOf({ node, last }: Position): Position {
  return { node: Math.floor(node / 2), last: Math.floor(last / 2) };
}

/** A proof file: that the leaf `index` is in the tree of a checkpoint (tlog-proof, "Format"). */
export interface LogProof {
  /** What the reader needs to compute the leaf; it is not authenticated by itself. Null without. */
  readonly extra: Uint8Array | null;
  readonly index: number;
  /** From the leaf's sibling up to the root's child. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note, as the log served it. */
  readonly checkpoint: string;
}

export function proofText({ extra, index, hashes, checkpoint }: LogProof): string {
  const extraLines = extra === null ? [] : [`extra ${base64Of(extra)}`];
  return [FIRST_LINE, ...extraLines, `index ${index}`, ...hashes.map(base64Of), '', checkpoint].join('\n');
}

/** The proof of a file, without any check of its hashes and signatures. @throws Malformed */
export function proofOf(text: string): LogProof {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (first !== FIRST_LINE)
    throw new Malformed(`The proof does not start with the line ${FIRST_LINE}, or has no empty line.`);
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined;
  const index = /^index (.+)$/.exec(lines.shift() ?? '')?.[1];
  if (index === undefined || extra === '')
    throw new Malformed('The proof has no index, or an extra line without data.');
  if (lines.length > MOST_HASHES)
    throw new Malformed(`The proof has ${lines.length} hashes; at most ${MOST_HASHES} are possible.`);
  return {
    extra: extra === undefined ? null : bytesOfBase64(extra),
    index: numberOfDecimal(index),
    hashes: lines.map(hashOfBase64),
    checkpoint: text.slice(end + 2),
  };
}
