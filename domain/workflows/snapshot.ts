import type { CanonicalJson } from '../canonical-json.ts';
import type { Sha256Hex } from '../decisions/submission/commitment.ts';
import type { Draft, WorkflowEdge, WorkflowNode } from './workflow.ts';

export const SCHEMA_VERSION = 'v1';
export const WORKFLOW_KIND = 'stancebook.workflow';

/** The content of a published workflow, exactly these members (settled.md section 11). */
export interface SnapshotContent {
  readonly schema_version: typeof SCHEMA_VERSION;
  readonly kind: typeof WORKFLOW_KIND;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
}

/** A published workflow: `content` is the RFC 8785 form of a SnapshotContent, `hash` its SHA-256 in lower-case hex. */
export interface Snapshot {
  readonly hash: string;
  readonly content: string;
}

/**
 * The snapshot that publishing the draft makes, whether the draft is ready or not. Drafts with the same content have the
 * same hash, in whatever order and spelling their JSON or YAML came (settled.md section 11).
 */
export function sealSnapshot(draft: Draft, canonicalJson: CanonicalJson, sha256Hex: Sha256Hex): Snapshot {
  const content = canonicalJson(snapshotContent(draft));
  return { hash: sha256Hex(content), content };
}

/**
 * The draft as it is published: nodes by id, edges by their ends, both in the order of UTF-16 code units, as RFC 8785
 * orders members. Tags keep their order, and text is taken as it was written, without Unicode normalisation.
 * Visibility is stored with the publication and is not part of the snapshot.
 */
export function snapshotContent({ name, description, tags, nodes, edges }: Draft): SnapshotContent {
  return {
    schema_version: SCHEMA_VERSION,
    kind: WORKFLOW_KIND,
    name,
    description,
    tags,
    nodes: nodes.map(({ id, node_id, config }) => ({ id, node_id, config })).sort((a, b) => inOrder(a.id, b.id)),
    edges: edges.map(({ from, to }) => ({ from, to })).sort((a, b) => inOrder(a.from, b.from) || inOrder(a.to, b.to)),
  };
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
