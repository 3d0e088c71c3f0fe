import { type Snapshot, snapshotContent } from '../../domain/workflows/snapshot.ts';
import type { Draft } from '../../domain/workflows/workflow.ts';
import type { Ports } from '../ports.ts';
import { sha256Hex } from '../sha256.ts';

/**
 * The draft as the snapshot that publishing it makes, whether it is ready or not. Drafts that say the same have the same
 * hash, in whatever order and spelling their JSON or YAML came (settled.md section 11).
 */
export function sealSnapshot({ canonicalJson }: Pick<Ports, 'canonicalJson'>, draft: Draft): Snapshot {
  const content = canonicalJson(snapshotContent(draft));
  return { hash: sha256Hex(content), content };
}
