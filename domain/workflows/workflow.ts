import { WORKFLOW } from '../limits.ts';
import type { JsonObject } from './node-template.ts';

export const VISIBILITIES = ['private', 'public'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

const NAME = `[a-z][a-z0-9_-]{0,${WORKFLOW.nodeNameLength - 1}}`;

/** A node's own name within its workflow; names of ports have the same form. */
export const NODE_NAME = new RegExp(`^${NAME}$`);
/** A node's name and a port's, with a dot between them. */
export const EDGE_END = new RegExp(`^${NAME}\\.${NAME}$`);

/** A step: the template that it follows, by `node_id`, and its config. */
export interface WorkflowNode {
  readonly id: string;
  readonly node_id: string;
  readonly config: JsonObject;
}

/** `from` names a node and one of its outputs, `to` a node and one of its inputs: `bars.bars`, `chart.bars`. */
export interface WorkflowEdge {
  readonly from: string;
  readonly to: string;
}

/**
 * What an owner writes, and a YAML file contains. It may be unfinished: `readiness` reports what publishing it needs.
 */
export interface Draft {
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
}

/** A stored draft. */
export interface Workflow extends Draft {
  readonly id: string;
  readonly owner_id: string;
  /** From 1; grows by one with every update. */
  readonly version: number;
  /** The hash of the newest publication; null before the first. */
  readonly published_hash: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A workflow as a row of a list. */
export interface Summary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly node_count: number;
  readonly version: number;
  readonly published_hash: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function summaryOf(workflow: Workflow): Summary {
  const { id, name, description, tags, visibility, nodes, version, published_hash, created_at, updated_at } = workflow;
  return {
    id,
    name,
    description,
    tags,
    visibility,
    node_count: nodes.length,
    version,
    published_hash,
    created_at,
    updated_at,
  };
}
