import type { NumberedPage, PageOf } from '../page.ts';
import type { Draft, Summary, Visibility, Workflow } from './workflow.ts';

/** A workflow that is to be kept: its first version, not published yet. */
export interface NewWorkflow extends Draft {
  readonly id: string;
  readonly owner_id: string;
  /** The workflow that it is a copy of. */
  readonly forked_from: string | null;
  readonly created_at: Date;
}

export const WORKFLOW_SORTS = ['updated_desc', 'updated_asc', 'name_asc', 'created_desc'] as const;
export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

/** What an owner's list is narrowed by; null: by nothing. */
export interface WorkflowFilter {
  readonly visibility: Visibility | null;
  /** One of the tags, as it is written. */
  readonly tag: string | null;
  /** A part of the name, in any case. */
  readonly search: string | null;
}

/** An update: what is absent stays. */
export type DraftChange = { readonly [Field in keyof Draft]?: Draft[Field] | undefined };

/** The drafts of all owners. */
export interface WorkflowStore {
  /**
   * Adds the workflow as version 1; false when the owner has `atMost` already. Callers at once never pass the limit
   * together.
   * @throws Problem UNAUTHORIZED for an owner who is gone
   */
  add(workflow: NewWorkflow, atMost: number): Promise<boolean>;

  /** Whoever's it is. */
  find(id: string): Promise<Workflow | null>;

  /** The same; until the transaction ends nobody else changes, removes or publishes it. */
  lock(id: string): Promise<Workflow | null>;

  /**
   * A page of the owner's. Names are sorted by their code points; what is equal by the sort is in the order of the ids,
   * the newest first where the newest come first.
   */
  list(owner_id: string, filter: WorkflowFilter, sort: WorkflowSort, page: NumberedPage): Promise<PageOf<Summary>>;

  /**
   * Applies the change to the owner's workflow, only while it is of the version expected; the new version is one more.
   * Null when nothing was changed. Of callers at once who expect one version, one changes it.
   */
  update(id: string, owner_id: string, expected_version: number, change: DraftChange): Promise<Workflow | null>;

  /** Removes the owner's draft; what was published stays. False when nothing was removed. */
  remove(id: string, owner_id: string): Promise<boolean>;
}

/**
 * The form in which names are searched: the same on every storage, whatever its collation. Capitals, because a capital
 * does not depend on the letters around it, as the lower-case sigma does. Kept beside each name, also of snapshots, which
 * nothing can change: another form would no longer find those.
 */
export function foldName(name: string): string {
  return name.toLowerCase().toUpperCase();
}
