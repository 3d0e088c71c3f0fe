import { type FoundLink, type GraphReader, LINK_KINDS, type LinkQuery } from '../../../domain/decisions/graph/graph.ts';
import type { ListedDecision } from '../../../domain/decisions/own/owner-records.ts';
import { GRAPH } from '../../../domain/limits.ts';
import { leads } from '../cohorts/cohort-conditions.ts';
import type { Sql } from '../kit/sql.ts';
import { LISTED_COLUMNS } from './decision-reader.ts';

export function postgresGraph(sql: Sql): GraphReader {
  return {
    links: (record_ids, wanted) => links(sql, record_ids, wanted),
    find: (record_ids, viewer) => sql.rows<ListedDecision>(FIND, [JSON.stringify(record_ids), viewer], 'graph-records'),
  };
}

/** With an array the planner knows how few records there are, and plans each read anew, which takes longer than the read. */
const FIND = `
  select ${LISTED_COLUMNS} from app.decisions d
  where d.record_id in (select jsonb_array_elements_text($1::jsonb)) and ${mayRead('$2::uuid')}`;

interface LinkRow extends Omit<FoundLink, 'kind'> {
  /** From 1. */
  readonly kind: number;
}

async function links(sql: Sql, record_ids: readonly string[], { viewer, direction, most }: LinkQuery) {
  const values = [record_ids, viewer, ...(direction === 'outbound' ? [] : [most])];
  const rows = await sql.rows<LinkRow>(LINKS[direction], values, `graph-${direction}`);
  return rows.map(({ kind, ...link }): FoundLink => ({ kind: LINK_KINDS[kind - 1] ?? 'outbound', ...link }));
}

const ASKED = `
  select a.position, d.record_id, d.data_cutoff, d.cohort_key, app.is_public(d.lifecycle_state) as is_public, ${leads('d')} as leads,
    d.owner_id is not distinct from $2::uuid as is_own,
    case when exists (select from app.workflow_publications p
      where p.hash = d.workflow_hash and p.visibility = 'public') then d.workflow_hash end as workflow_hash
  from unnest($1::text[]) with ordinality a(record_id, position) join app.decisions d using (record_id)
  where ${mayRead('$2::uuid')}`;

/** As many as one submission can name. */
const OUTBOUND = `
  select 1, a.position, a.record_id, t.record_id,
    case when a.is_own then l.relations else array_remove(l.relations, 'supersedes') end,
    row_number() over (partition by a.record_id order by t.data_cutoff desc, t.record_id desc)
  from asked a join app.record_links l on l.record_id = a.record_id join app.decisions t on t.record_id = l.related_id
  where case when a.is_own then ${mayRead('$2::uuid', 't')} else l.is_shown and app.is_public(t.lifecycle_state) end`;

/** Each half reads the head of an index, however many records point to this one and are hidden from the viewer. */
const INBOUND = `
  select 2, a.position, a.record_id, n.record_id,
    case when n.is_own then n.relations else array_remove(n.relations, 'supersedes') end, n.rank
  from asked a cross join lateral (
    select e.*, row_number() over (order by e.data_cutoff desc, e.record_id desc) as rank from (
      (select l.record_id, l.relations, l.data_cutoff, l.owner_id is not distinct from $2::uuid as is_own
        from app.record_links l where a.is_public and l.is_shown and l.related_id = a.record_id
        order by l.data_cutoff desc, l.record_id desc limit $3)
      union
      (select l.record_id, l.relations, l.data_cutoff, true
        from app.record_links l where l.owner_id = $2 and l.related_id = a.record_id
        order by l.data_cutoff desc, l.record_id desc limit $3)
    ) e order by e.data_cutoff desc, e.record_id desc limit $3
  ) n`;

/**
 * The nearest of both sides, each of which is a stretch of an index. Decisions of a group have the same data_cutoff, so that
 * they would be the nearest: a further horizon has no such links.
 */
function nearest(kind: number, column: 'cohort_key' | 'workflow_hash'): string {
  const side = (beyond: '<' | '>', order: 'asc' | 'desc') => `
    (select d.record_id, d.data_cutoff, row_number() over (order by d.data_cutoff ${order}, d.record_id ${order}) as places
      from app.public_decisions d where a.is_public and a.leads and ${leads('d')} and d.${column} = a.${column}
        and (d.data_cutoff, d.record_id) ${beyond} (a.data_cutoff, a.record_id)
      order by d.data_cutoff ${order}, d.record_id ${order} limit ${GRAPH.computedNeighbours})`;
  const distance = 'greatest(e.data_cutoff - a.data_cutoff, a.data_cutoff - e.data_cutoff)';
  return `
  select ${kind}, a.position, a.record_id, n.record_id, '{}'::text[], n.rank
  from asked a cross join lateral (
    select e.record_id, row_number() over (order by ${distance}, e.places, e.data_cutoff, e.record_id) as rank
    from (${side('<', 'desc')} union all ${side('>', 'asc')}) e
    order by rank limit ${GRAPH.computedNeighbours}
  ) n`;
}

function statement(parts: readonly string[]): string {
  return `with asked as materialized (${ASKED})
    select kind, found_at, other, relations
    from (${parts.join(' union all ')}) found (kind, position, found_at, other, relations, rank)
    order by kind, position, rank`;
}

const LINKS = {
  outbound: statement([OUTBOUND]),
  inbound: statement([INBOUND]),
  both: statement([OUTBOUND, INBOUND, nearest(3, 'cohort_key'), nearest(4, 'workflow_hash')]),
} as const;

/**
 * The condition that a record exists for its reader; see functions/audience.sql.
 * @param reader SQL of an owner id; null for an unauthenticated caller
 * @param record the name of a row of app.decisions
 */
function mayRead(reader: string, record = 'd'): string {
  return `app.may_read(reader => ${reader}, owner_id => ${record}.owner_id, lifecycle_state => ${record}.lifecycle_state)`;
}
