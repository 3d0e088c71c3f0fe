import type { ClosingReason } from '../../../domain/log/leaves/leaf.ts';
import type { GradedDecision } from '../../../domain/log/leaves/public-statement.ts';
import type { LoggedDecision, PendingEvent } from '../../../domain/log/log-store.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';
import { TREE } from './log-writes.ts';

/** See `LogStore.pending`. Nothing but what a leaf is made of is read. */
export async function pendingEvents(
  sql: Sql,
  log: number,
  before: Date,
  limit: number,
): Promise<readonly PendingEvent[]> {
  const read = async (own: Sql) => {
    await own.rows(BY_INDEXES);
    return own.rows<EventRow>(PENDING, [log, before, limit]);
  };
  return (await sql.atomically(read, LONGEST_STATEMENT)).map(eventOf);
}

/**
 * A batch of an import has ten thousand records from all over the tables. A busy disk takes minutes for those, and a read
 * that the server ends would be begun anew at each run, without end.
 */
const LONGEST_STATEMENT = 5 * MINUTE;

interface EventRow extends StatedRow, GradedDecision {
  readonly seq: string;
  readonly happened_at: Date | null;
  readonly event: PendingEvent['event'] | 'numbered';
  readonly mark: Uint8Array | null;
  readonly producer: Uint8Array | null;
  readonly reason: ClosingReason;
  /** The index of the leaf of the decision. */
  readonly of: number;
  readonly document: string | null;
}

function eventOf(row: EventRow): PendingEvent {
  const { record_id, seq, happened_at, event, of, reason, document, mark, producer } = row;
  const about = { record_id, seq, happened_at };
  switch (event) {
    case 'numbered':
      return { ...about, event: 'decision', decision: decisionOf(row), kept: mark && producer && { mark, producer } };
    case 'decision':
    case 'imported':
      return { ...about, event, decision: decisionOf(row), kept: null };
    case 'outcome':
      return { ...about, event, of, graded: row, document };
    case 'closed':
      return { ...about, event, of, reason };
    case 'reopened':
      return { ...about, event, of };
  }
}

/** What a leaf is made of, by `DECISION_COLUMNS`. */
export interface StatedRow extends Omit<LoggedDecision, 'submission'> {
  /** Null for one that `factors` is read from. */
  readonly statement: string | null;
  readonly factors: LoggedDecision['submission']['key_factors'] | null;
}

export function decisionOf<Row extends StatedRow>(row: Row): Row & LoggedDecision {
  const key_factors = (row.statement === null ? row.factors : statedFactors(row.statement)) ?? [];
  return { ...row, submission: { key_factors } };
}

/** As `app.stated_factors`. */
function statedFactors(statement: string): StatedRow['factors'] {
  try {
    return JSON.parse(statement)?.body?.key_factors ?? null;
  } catch {
    return null;
  }
}

/** `erasedProducer` of domain/log/leaves/public-statement.ts. */
const ERASED_PRODUCER = `substring(s.statement from '"producer": ?"([0-9a-f]{64})"')`;

/**
 * A statement that is read whole: to find the factors of each takes PostgreSQL a third of the time of reading an event. One with
 * an escape by number may be JSON here and none there.
 */
const IS_SHORT = `(octet_length(s.statement) <= 4096 and strpos(s.statement, '\\u') = 0)`;

/**
 * What the leaf of a decision is made of, from its row `d` and its document `s`. Of a long submission that is the factors: ten
 * thousand submissions can be hundreds of megabytes.
 */
export const DECISION_COLUMNS = `
    d.record_id, d.market, coalesce(d.received_symbol, d.symbol) as symbol, d.venue, d.asset_class, d.quote_currency,
    coalesce(d.received_cohort_key, d.cohort_key) as cohort_key, d.direction,
    d.analysis_class, d.perspective_type, d.horizon_kind, d.horizon_value, d.data_cutoff, d.submission_time,
    d.submission_origin, d.method, d.group_place, d.owner_id, d.agent_id, encode(s.salt, 'hex') as salt, s.commitment,
    case when ${IS_SHORT} then s.statement end as statement,
    case when not ${IS_SHORT} then app.stated_factors(s.statement) end as factors, d.number,
    (select encode(a.salt, 'hex') from app.agent_submissions a
      where a.agent_id = case when s.record_id is not null then d.agent_id end) as agent_salt,
    case when s.salt is null then ${ERASED_PRODUCER} end as erased_producer`;

/** What the leaf of an outcome is made of, from its row `o` and its evidence `e`. */
export const OUTCOME_COLUMNS = 'o.result_bucket, o.evaluated_at, o.created_regime, o.facts, e.document';

/**
 * For the transaction under way. Statistics of tables that grow fast lag behind, and a new log is in none: a plan for few
 * rows would read whole tables for each of many. By indexes a batch reads what it contains.
 */
const BY_INDEXES = `
  select set_config(name, 'off', true)
  from unnest('{enable_seqscan,enable_bitmapscan,enable_sort,enable_hashjoin,enable_mergejoin,enable_material}'::text[]) name`;

/**
 * An event whose record is incomplete stays pending and takes no place in a batch; check-evidence reports such a record.
 * `offset 0`: a record is read once its event is found to be next.
 * The `case`s are null for what an event does not need: nothing is then looked up.
 */
const PENDING = `
  select p.seq::text as seq, p.event, p.mark, p.producer, p.reason,
    case when p.imported then null when p.event in ('decision', 'numbered') then d.submission_time else p.ready_at end as happened_at,
    p.index::float8 as of, ${DECISION_COLUMNS}, d.anchor_time, d.end_time, ${OUTCOME_COLUMNS}
  from (
    select p.*, l.index from app.log_pending p
    left join lateral (
      -- log + 0: by the primary key, not by the index of log and index.
      select l.index from app.log_decisions l where l.record_id = p.record_id and l.log + 0 = ${TREE} limit 1
    ) l on true
    where p.ready_at < $2 and (p.event in ('decision', 'numbered', 'imported')) = (l.index is null)
      and not exists (select from app.log_pending b where b.record_id = p.record_id and b.seq < p.seq)
    order by p.imported, p.ready_at offset 0
  ) p
  join app.decisions d on d.record_id = p.record_id
  left join app.decision_documents s on s.record_id = case when p.event in ('decision', 'numbered', 'imported') then p.record_id end
    and (s.salt is not null or ${ERASED_PRODUCER} is not null)
  left join app.decision_outcomes o on o.record_id = case when p.event = 'outcome' then p.record_id end
  left join app.outcome_evidence e on e.record_id = o.record_id
  where (p.event in ('decision', 'numbered', 'imported')) = (s.record_id is not null)
    and (p.event = 'outcome') = (o.record_id is not null)
  order by p.imported, p.ready_at limit $3`;
