import type { NumberedPage, PageOf } from '../page.ts';
import type { Snapshot } from './snapshot.ts';
import type { Visibility } from './workflow.ts';

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
