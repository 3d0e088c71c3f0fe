import { createPrivateKey } from 'node:crypto';
import { ed25519PublicKey, ed25519Sign } from '../../application/ed25519.ts';
import { sha256 } from '../../application/sha256.ts';
import { ED25519, type NoteSigner, verifierKey } from '../../domain/log/notes/note.ts';
import { appendedNodes, leafHash, type NodeAddress, type NodeHash, rootHash } from '../../domain/log/tree/tree.ts';

/** A tree in memory, built from batches of leaves. */
export interface BuiltTree {
  readonly size: number;
  readonly hashOf: NodeHash;
  readonly root: Uint8Array;
}

/** The tree of `leaves`, appended in batches of these lengths; what remains is a last batch. */
export function aTree(leaves: readonly Uint8Array[], batches: readonly number[] = []): BuiltTree {
  const nodes = new Map<string, Uint8Array>();
  let size = 0;
  for (const length of [...batches, leaves.length]) {
    const batch = leaves.slice(size, size + length).map((leaf) => leafHash(leaf, sha256));
    for (const { level, from, hashes } of appendedNodes(size, batch, hashOf, sha256)) {
      for (const [i, hash] of hashes.entries()) addNode({ level, index: from + i }, hash);
    }
    size += batch.length;
  }
  return { size, hashOf, root: rootHash(size, hashOf, sha256) };

  function hashOf({ level, index }: NodeAddress): Uint8Array {
    const hash = nodes.get(`${level}/${index}`);
    if (!hash) throw new Error(`The node ${level}/${index} is not stored.`);
    return hash;
  }

  function addNode({ level, index }: NodeAddress, hash: Uint8Array): void {
    if (nodes.has(`${level}/${index}`)) throw new Error(`The node ${level}/${index} was added twice.`);
    nodes.set(`${level}/${index}`, hash);
  }
}

/** Different leaves: the texts `leaf 0`, `leaf 1` and so on. */
export function someLeaves(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, i) => new TextEncoder().encode(`leaf ${i}`));
}

/** A signer with a key of its own; the same number makes the same key. */
export function aSigner(name: string, type: number = ED25519, number = 1): NoteSigner {
  const seed = sha256(`the key ${number}`);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return {
    key: verifierKey(name, type, ed25519PublicKey(privateKey), sha256),
    sign: (message) => ed25519Sign(privateKey, message),
  };
}

/** What precedes the 32 bytes of a private key of Ed25519 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
