import type { ListedDecision, RecordPlace } from '../../../domain/decisions/owner-records.ts';
import { LISTED_COLUMNS } from '../decisions/decision-reader.ts';
import { batcher } from '../kit/batcher.ts';
import type { Sql } from '../kit/sql.ts';

/** A page of an agent's records, narrowed by nothing else. */
export interface AgentList {
  readonly owner_id: string;
  /** Of another owner it has no records. */
  readonly agent_id: string;
  readonly include_archived: boolean;
  readonly after: RecordPlace | null;
  readonly limit: number;
}

/**
 * Reads such pages, the newest submission first. SQL by hand: pages that are requested together are a batch in one
 * statement, which is planned once per connection. A batch is small and two run at once, so that an owner with very many
 * archived records delays few others.
 */
export function agentLists(sql: Sql): (list: AgentList) => Promise<readonly ListedDecision[]> {
  return batcher<AgentList, readonly ListedDecision[]>({ run: (lists) => readAll(sql, lists), most: 16, atOnce: 2 });
}

async function readAll(sql: Sql, lists: readonly AgentList[]): Promise<readonly (readonly ListedDecision[])[]> {
  const column = (of: (list: AgentList) => unknown) => lists.map(of);
  const values = [
    column(({ owner_id }) => owner_id),
    column(({ agent_id }) => agent_id),
    column(({ include_archived }) => include_archived),
    column(({ after }) => after?.submission_time ?? 'infinity'),
    column(({ after }) => after?.record_id ?? ''),
    column(({ limit }) => limit),
  ];
  const rows = await sql.rows<ListedDecision & { readonly position: number }>(READ_LISTS, values, 'agent-lists');
  const found = lists.map((): ListedDecision[] => []);
  // Without its position each record would be a copy of all its columns.
  for (const row of rows) found[row.position - 1]?.push(row);
  return found;
}

/** The inner order is the index's, so that only the returned rows are read; the outer order states it for the result. */
const READ_LISTS = `
  select w.position::int, d.*
  from unnest($1::uuid[], $2::text[], $3::boolean[], $4::timestamptz[], $5::text[], $6::int[])
    with ordinality w(owner_id, agent_id, include_archived, after_time, after_id, most, position)
  cross join lateral (
    select ${LISTED_COLUMNS} from app.decisions d
    where d.agent_id = (select a.agent_id from app.agents a where a.agent_id = w.agent_id and a.owner_id = w.owner_id)
      and (w.include_archived or d.archived_at is null)
      and (d.submission_time, d.record_id) < (w.after_time, w.after_id)
    order by d.submission_time desc, d.record_id desc
    limit w.most
  ) d
  order by w.position, d.submission_time desc, d.record_id desc`;
