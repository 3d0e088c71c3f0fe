import type { NumberedPage, PageOf } from '../page.ts';
import type { Draft, Summary, Visibility, Workflow } from './workflow.ts';

/** A workflow to add: its first version, not published yet. */
export interface NewWorkflow extends Draft {
  readonly id: string;
  readonly owner_id: string;
  /** The workflow that it was copied from. */
  readonly forked_from: string | null;
  readonly created_at: Date;
}

export const WORKFLOW_SORTS = ['updated_desc', 'updated_asc', 'name_asc', 'created_desc'] as const;
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
