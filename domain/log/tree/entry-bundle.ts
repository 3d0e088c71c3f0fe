import { Malformed } from '../malformed.ts';
import { MOST_TILE_WIDTH } from './tile.ts';

/** The longest leaf that an entry bundle can hold, in bytes: its length is a uint16 (tlog-tiles, "Log entries"). */
const MOST_LEAF_BYTES = 0xffff;

/**
 * An entry bundle: each leaf after its length as a big-endian uint16 (tlog-tiles, "Log entries").
 * @param leaves each at most `MOST_LEAF_BYTES` long
 * @throws Malformed for a longer leaf
 */
export function entryBundle(leaves: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(leaves.reduce((length, leaf) => length + 2 + leaf.length, 0));
  let at = 0;
  for (const leaf of leaves) {
    if (leaf.length > MOST_LEAF_BYTES)
      throw new Malformed(`A leaf of ${leaf.length} bytes is longer than ${MOST_LEAF_BYTES}.`);
    bundle.set([leaf.length >> 8, leaf.length & 0xff], at);
    bundle.set(leaf, at + 2);
    at += 2 + leaf.length;
  }
  return bundle;
}

/** The leaves of an entry bundle. @throws Malformed for no leaf, more than 256, or bytes that end within one */
export function leavesOfBundle(bundle: Uint8Array): readonly Uint8Array[] {
  const leaves: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const [high, low] = bundle.subarray(at, at + 2);
    const end = at + 2 + ((high ?? 0) << 8) + (low ?? 0);
    if (low === undefined || end > bundle.length)
      throw new Malformed(`The entry bundle ends within leaf ${leaves.length}.`);
    leaves.push(bundle.subarray(at + 2, end));
    at = end;
  }
  if (leaves.length === 0 || leaves.length > MOST_TILE_WIDTH) {
    throw new Malformed(`An entry bundle of ${leaves.length} leaves does not have 1 to ${MOST_TILE_WIDTH}.`);
  }
  return leaves;
}

/** The partial bundle that the same bundle was with this many leaves. */
export function partialBundle(bundle: Uint8Array, width: number): Uint8Array {
  const leaves = leavesOfBundle(bundle).slice(0, width);
  return bundle.subarray(
    0,
    leaves.reduce((length, leaf) => length + 2 + leaf.length, 0),
  );
}
