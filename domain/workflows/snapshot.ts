import type { CanonicalJson } from '../canonical-json.ts';
import type { Sha256Hex } from '../decisions/submission/commitment.ts';
import { workflowRef } from '../identifiers.ts';
import { WORKFLOW } from '../limits.ts';
import type { NumberedPage, PageOf } from '../page.ts';
import type { Draft, Visibility, WorkflowEdge, WorkflowNode } from './workflow.ts';

/** Reserved file and folder names on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)\d)$/;

/** Enough of the hash to distinguish snapshots without a name in Latin letters. */
const HASH_DIGITS = 12;

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

/** A publication of a workflow: its content at that time, and for whom. */
export interface Publication {
  readonly hash: string;
  /** The visibility of the workflow at that moment; later changes of the workflow do not change it. */
  readonly visibility: Visibility;
  readonly at: Date;
}

/** What publishing has stored. */
export interface NewPublication extends Publication {
  /** Whether the content was not stored before. */
  readonly is_new: boolean;
}

/** A publication as a row of a list. */
export interface PublicationInHistory extends Publication {
  readonly name: string;
  readonly node_count: number;
}

/** A publication with the published content. */
export interface PublishedSnapshot extends Publication, Snapshot {}

/** Published workflows. Nothing that is added here is ever changed or removed. */
export interface SnapshotStore {
  /**
   * Stores the snapshot, unless it is stored already, and the publication. Concurrent callers who publish the same
   * content each get a publication of the one snapshot, which is new to one of them.
   * @throws when the hash is not that of the content
   */
  publish(
    workflow: { readonly id: string; readonly owner_id: string; readonly visibility: Visibility },
    snapshot: Snapshot,
  ): Promise<NewPublication>;

  /** The publications of a workflow, newest first. */
  history(workflow_id: string, page: NumberedPage): Promise<PageOf<PublicationInHistory>>;

  /** The content of the workflow when it was last published for everybody. */
  newestPublic(workflow_id: string): Promise<Snapshot | null>;

  /**
   * A snapshot that has a publication that is public or the viewer's own: with its first public publication, else the
   * viewer's first. Null for any other hash.
   * @param viewer an owner_id; null for an anonymous reader
   */
  find(hash: string, viewer: string | null): Promise<PublishedSnapshot | null>;
}

/** The view of a snapshot. Its hash seals the members of `SnapshotContent`; nothing here names an owner. */
interface SnapshotView extends SnapshotContent {
  readonly hash: string;
  /** The name of the snapshot in a submission. */
  readonly workflow_ref: string;
  readonly visibility: Visibility;
  readonly node_count: number;
  readonly published_at: Date;
}

export function snapshotView({ hash, content, visibility, at }: PublishedSnapshot): SnapshotView {
  const said = JSON.parse(content) as SnapshotContent;
  const marks = { hash, workflow_ref: workflowRef(hash), visibility, published_at: at };
  return { ...marks, node_count: said.nodes.length, ...said };
}

/**
 * The name of a snapshot's skill: of its folder and files, and for the agent to call it by. 1 to 64 of a-z, 0-9 and
 * single hyphens, so that it is safe on every file system and valid in the Agent Skills format.
 */
export function skillName({ hash, content }: Snapshot): string {
  const { name } = JSON.parse(content) as SnapshotContent;
  return slug(name) ?? `workflow-${hash.slice(0, HASH_DIGITS)}`;
}

/** The Latin letters and digits of a text, without diacritics; undefined when no name remains. */
export function slug(text: string): string | undefined {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const joined = words.filter(Boolean).join('-');
  const short = joined.slice(0, WORKFLOW.skillNameLength).replace(/-$/, '');
  if (DEVICE.test(short)) return `workflow-${short}`;
  return short === '' ? undefined : short;
}
