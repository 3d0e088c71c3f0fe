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
  const wanted = lists.map(({ after, limit, ...list }, position) => ({
    ...list,
    after_time: after?.submission_time ?? 'infinity',
    after_id: after?.record_id ?? '',
    most: limit,
    position,
  }));
  const values = [JSON.stringify(wanted)];
  const rows = await sql.rows<ListedDecision & { readonly position: number }>(READ_LISTS, values, 'agent-lists');
  const found = lists.map((): ListedDecision[] => []);
  // Without its position each record would be a copy of all its columns.
  for (const row of rows) found[row.position]?.push(row);
  return found;
}

/**
 * The inner order is the index's, so that only the returned rows are read; the outer order states it for the result. With
 * arrays the planner knows the length of a short batch, and plans it anew each time, which takes longer than the read.
 */
const READ_LISTS = `
  select w.position, d.*
  from jsonb_to_recordset($1::jsonb) w(owner_id uuid, agent_id text, include_archived boolean, after_time timestamptz,
    after_id text, most int, position int)
  cross join lateral (
    select ${LISTED_COLUMNS} from app.decisions d
    where d.agent_id = (select a.agent_id from app.agents a where a.agent_id = w.agent_id and a.owner_id = w.owner_id)
      and (w.include_archived or d.archived_at is null)
      and (d.submission_time, d.record_id) < (w.after_time, w.after_id)
    order by d.submission_time desc, d.record_id desc
    limit w.most
  ) d
  order by w.position, d.submission_time desc, d.record_id desc`;
