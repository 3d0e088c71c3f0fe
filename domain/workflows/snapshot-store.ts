import type { NumberedPage, PageOf } from '../page.ts';
import type { Snapshot } from './snapshot.ts';
import type { Visibility } from './workflow.ts';

/** That a workflow was published: what it said then, and for whom. */
export interface Publication {
  readonly hash: string;
  /** Of the workflow at that moment; a later change of it changes no publication. */
  readonly visibility: Visibility;
  readonly at: Date;
}

/** A publication as a row of a list. */
export interface PublicationInHistory extends Publication {
  readonly name: string;
  readonly node_count: number;
}

/** A publication with what was published. */
export interface PublishedSnapshot extends Publication, Snapshot {}

/** Published workflows. Whatever is added here is never changed and never removed. */
export interface SnapshotStore {
  /**
   * Keeps the snapshot, unless it is kept already, and the publication beside it. Of callers at once who publish the
   * same content each has a publication of the one snapshot.
   * @throws when the hash is not that of the content
   */
  publish(
    workflow: { readonly id: string; readonly owner_id: string; readonly visibility: Visibility },
    snapshot: Snapshot,
  ): Promise<Publication>;

  /** The publications of a workflow, newest first. */
  history(workflow_id: string, page: NumberedPage): Promise<PageOf<PublicationInHistory>>;

  /** What the workflow said when it was last published for everybody. */
  newestPublic(workflow_id: string): Promise<Snapshot | null>;

  /**
   * A snapshot, when any publication of it is public or the viewer's: as it was first published for everybody, else as
   * the viewer first did. Null for everything else.
   * @param viewer an owner_id; null for somebody unknown
   */
  find(hash: string, viewer: string | null): Promise<PublishedSnapshot | null>;
}
