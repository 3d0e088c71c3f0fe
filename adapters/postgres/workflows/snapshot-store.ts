import type { Snapshot, SnapshotContent } from '../../../domain/workflows/snapshot.ts';
import type {
  NewPublication,
  PublicationInHistory,
  PublishedSnapshot,
  SnapshotStore,
} from '../../../domain/workflows/snapshot-store.ts';
import { foldName } from '../../../domain/workflows/workflow-store.ts';
import { WORKFLOW_PUBLICATIONS } from '../entities/workflow-publications.ts';
import { WORKFLOW_SNAPSHOTS } from '../entities/workflow-snapshots.ts';
import { type PagedSelect, pageOf } from '../kit/numbered-page.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSnapshots(sql: Sql): SnapshotStore {
  return {
    async publish({ id, owner_id, visibility }, { hash, content }) {
      const { name } = JSON.parse(content) as SnapshotContent;
      const values = [hash, content, foldName(name), id, owner_id, visibility];
      const [publication] = await sql.rows<NewPublication>(PUBLISH, values);
      if (!publication) throw new Error('A publication is one row.');
      return publication;
    },

    async history(workflow_id, page) {
      const { total, items } = await pageOf<HistoryRow>(sql, HISTORY, [workflow_id], page);
      return { total, items: items.map(({ seq, ...publication }) => publication) };
    },

    async newestPublic(workflow_id): Promise<Snapshot | null> {
      return sql.tables
        .createQueryBuilder(WORKFLOW_SNAPSHOTS, 's')
        .innerJoin(WORKFLOW_PUBLICATIONS.options.name, 'p', 'p.hash = s.hash')
        .where("p.workflow_id = :workflow_id and p.visibility = 'public'", { workflow_id })
        .orderBy('p.seq', 'DESC')
        .limit(1)
        .getOne();
    },

    async find(hash, viewer) {
      const [snapshot] = await sql.rows<PublishedSnapshot>(FIND, [hash, viewer]);
      return snapshot ?? null;
    },
  };
}

interface HistoryRow extends PublicationInHistory {
  readonly seq: string;
}

/**
 * SQL by hand: one statement decides a race. Of two callers who publish the same content the second waits for the first
 * and then finds the snapshot there.
 */
const PUBLISH = `
  with kept as (
    insert into app.workflow_snapshots (hash, content, name_folded) values ($1, $2, $3) on conflict (hash) do nothing
    returning hash
  ),
  published as (
    insert into app.workflow_publications (hash, workflow_id, owner_id, visibility, at)
    values ($1, $4, $5, $6, app.now())
    returning seq, workflow_id, hash, visibility, at
  ),
  listed as (
    update app.workflows w set listed_seq = greatest(w.listed_seq, p.seq)
    from published p where w.id = p.workflow_id and p.visibility = 'public'
  )
  select hash, visibility, at, exists (select from kept) as is_new from published`;

const PUBLICATIONS = 'app.workflow_publications p join app.workflow_snapshots s using (hash)';

/** SQL by hand: a page with the number of all rows. */
const HISTORY: PagedSelect = {
  matching: `select p.hash, p.visibility, p.at, p.seq, s.name, s.node_count from ${PUBLICATIONS} where p.workflow_id = $1`,
  order: 'seq desc',
};

/** SQL by hand: a row of two tables' columns. */
const FIND = `
  select p.hash, p.visibility, p.at, s.content from ${PUBLICATIONS}
  where p.hash = $1 and (p.visibility = 'public' or p.owner_id = $2::uuid)
  order by p.visibility = 'public' desc, p.seq limit 1`;
