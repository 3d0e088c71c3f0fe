import { WORKFLOW } from '../limits.ts';
import type { NumberedPage, PageOf } from '../page.ts';
import type { JsonObject } from './node-template.ts';

export const WORKFLOW_SORTS = ['updated_desc', 'updated_asc', 'name_asc', 'created_desc'] as const;

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

/** A workflow to add: its first version, not published yet. */
export interface NewWorkflow extends Draft {
  readonly id: string;
  readonly owner_id: string;
  /** The workflow that it was copied from. */
  readonly forked_from: string | null;
  readonly created_at: Date;
}

export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

/** The filters of an owner's list; null filters nothing. */
export interface WorkflowFilter {
  readonly visibility: Visibility | null;
  /** One of the tags, exactly. */
  readonly tag: string | null;
  /** A part of the name, in any case. */
  readonly search: string | null;
}

/** An update: what is absent stays. */
export type DraftChange = { readonly [Field in keyof Draft]?: Draft[Field] | undefined };

/** The drafts of all owners. */
export interface WorkflowStore {
  /**
   * Adds the workflow as version 1; false when the owner already has `atMost`. Concurrent calls never exceed the limit
   * together.
   * @throws Problem UNAUTHORIZED for an owner who is gone
   */
  add(workflow: NewWorkflow, atMost: number): Promise<boolean>;

  /** The workflow of any owner. */
  find(id: string): Promise<Workflow | null>;

  /** The same; until the transaction ends no other one changes, removes or publishes it. */
  lock(id: string): Promise<Workflow | null>;

  /**
   * A page of the owner's workflows. Names are sorted by their code points; equal ones are in the order of the ids,
   * newest first in the sorts that begin with the newest.
   */
  list(owner_id: string, filter: WorkflowFilter, sort: WorkflowSort, page: NumberedPage): Promise<PageOf<Summary>>;

  /**
   * Applies the change to the owner's workflow, only while it has the expected version; the new version is one higher.
   * Null when nothing was changed. Of concurrent calls that expect one version, one changes it.
   */
  update(id: string, owner_id: string, expected_version: number, change: DraftChange): Promise<Workflow | null>;

  /** Removes the owner's draft; publications stay. False when nothing was removed. */
  remove(id: string, owner_id: string): Promise<boolean>;
}

/**
 * The form of a name for searches: the same on every storage, whatever its collation. Upper-case, because a capital
 * does not depend on the letters around it, as the lower-case sigma does. It is stored with each name, also of
 * snapshots, which cannot be changed: another form would no longer find those.
 */
export function foldName(name: string): string {
  return name.toLowerCase().toUpperCase();
}
