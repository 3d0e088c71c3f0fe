import type { NodeTemplate } from '../../../../../domain/workflows/node-template.ts';
import type { SnapshotContent } from '../../../../../domain/workflows/snapshot.ts';
import type { ReadinessFailure } from '../../../../../domain/workflows/wiring.ts';
import type { Draft, Visibility, WorkflowEdge, WorkflowNode } from '../../../../../domain/workflows/workflow.ts';

export type { Draft, NodeTemplate, ReadinessFailure, Visibility, WorkflowEdge, WorkflowNode };

/** The library of steps by `node_id`, in the order of the service. */
export type Library = ReadonlyMap<string, NodeTemplate>;

/** A row of the owner's list. Times are RFC 3339, here and below. */
export interface WireSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly node_count: number;
  readonly version: number;
  readonly published_hash: string | null;
  readonly updated_at: string;
}

/** A draft as it is stored, with what prevents its publication. */
export interface WireWorkflow extends WireSummary {
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
  readonly readiness: { readonly ready: boolean; readonly failures: readonly ReadinessFailure[] };
}

interface Published {
  readonly hash: string;
  readonly workflow_ref: string;
  readonly published_at: string;
  readonly name: string;
  readonly node_count: number;
}

/** A row of the history of a workflow. */
export interface WirePublication extends Published {
  readonly visibility: Visibility;
}

/** A row of the marketplace. */
export interface WireOffer extends Published {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** null while it is withheld. */
  readonly decision_count: number | null;
}

export interface WireSnapshot extends Published, SnapshotContent {
  readonly name: string;
  readonly visibility: Visibility;
}

export interface WireUsage {
  readonly decisions: {
    readonly total: number;
    readonly evaluated: number;
    /** null while it is withheld. */
    readonly result_distribution: Readonly<Record<string, number>> | null;
  };
  readonly forks: number;
  readonly snapshots: number;
  readonly last_used_at: string | null;
}

/** A page of a numbered list. */
export interface NumberedList<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
}

/** What an owner edits of a stored draft. */
export function draftOf({ name, description, tags, visibility, nodes, edges }: WireWorkflow): Draft {
  return { name, description, tags, visibility, nodes, edges };
}
