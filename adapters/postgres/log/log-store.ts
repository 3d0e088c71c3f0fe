import type { AuditHead } from '../../../domain/audit-log.ts';
import { LOG } from '../../../domain/limits.ts';
import type { ChangedFacts } from '../../../domain/log/leaves/public-statement.ts';
import type {
  BundleEnd,
  DecisionLeaves,
  LoggedDataset,
  LoggedHead,
  LoggedNames,
  LogOverview,
  LogStore,
  ProvingCheckpoint,
  StoredCheckpoint,
  StoredLog,
  TileEnd,
  WaitingPlan,
} from '../../../domain/log/log-store.ts';
import { MINUTE } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';
import { append, SHARING, start, TREE } from './log-writes.ts';
import { pendingEvents } from './pending-events.ts';

/** SQL by hand: an advisory lock, and whole batches in one statement for each table. */
export function postgresLog(sql: Sql): LogStore {
  return {
    ...checkpointsOf(sql),
    ...leavesIn(sql),
    ...headsIn(sql),
    lock: async () => void (await sql.rows('select pg_advisory_xact_lock(7382614915)')),
    newest: () => one<StoredLog>(sql, NEWEST),
    find: (log) => one<StoredLog>(sql, FIND, [log]),
    logsOfTree: (log) => sql.rows<StoredLog>(`select log, origin, key_id from ${SHARING} order by log`, [log]),
    start: (log, continued) => start(sql, log, continued),
    pending: (log, before, limit) => pendingEvents(sql, log, before, limit),
    ...plansIn(sql),
    append: (batch) => append(sql, batch),
    async agentSalts(agent_ids) {
      const rows = await sql.rows<{ agent_id: string; salt: string }>(AGENT_SALTS, [agent_ids]);
      return new Map(rows.map(({ agent_id, salt }) => [agent_id, salt]));
    },
    async overview(log, now) {
      const row = await one<LogOverview>(sql, OVERVIEW, [log, now]);
      return row ?? { size: 0, signed_at: null, pending: 0, waiting_since: null };
    },
  };
}

function checkpointsOf(
  sql: Sql,
): Pick<LogStore, 'latest' | 'signed' | 'published' | 'firstWith' | 'firstWithEach' | 'hasSigned' | 'sign'> {
  const firstWithEach: LogStore['firstWithEach'] = async (log, indexes) => {
    const rows = await sql.rows<ProvingCheckpoint & { readonly index: number }>(FIRST_WITH_EACH, [log, indexes]);
    return new Map(rows.map(({ index, ...checkpoint }) => [index, checkpoint]));
  };
  return {
    firstWithEach,
    latest: (log) => one<StoredCheckpoint>(sql, LATEST, [log]),
    signed: (log) => one<StoredCheckpoint>(sql, SIGNED, [log]),
    published: (log) => one<StoredCheckpoint>(sql, PUBLISHED, [log]),
    firstWith: async (log, index) => (await firstWithEach(log, [index])).get(index) ?? null,
    hasSigned: async (log, { from, to }) => (await sql.rows(HAS_SIGNED, [log, from, to])).length > 0,
    sign: async (log, size, { id, signature }, patience) =>
      void (await sql.rows(SIGN, [log, size, signature, id, patience])),
  };
}

function leavesIn(
  sql: Sql,
): Pick<
  LogStore,
  'tiles' | 'bundle' | 'bundles' | 'leavesOf' | 'leavesOfEach' | 'recordAt' | 'hasTimedLeaf' | 'lateDecisions'
> {
  const bundles: LogStore['bundles'] = (log, indexes) => sql.rows<BundleEnd>(BUNDLES, [log, indexes]);
  const leavesOfEach: LogStore['leavesOfEach'] = async (log, record_ids) => {
    const rows = await sql.rows<LeavesRow>(LEAVES_OF, [log, record_ids]);
    return new Map(rows.map(({ record_id, ...row }) => [record_id, leavesOf(row)]));
  };
  return {
    bundles,
    leavesOfEach,
    tiles: (log, tiles) =>
      sql.rows<TileEnd>(TILES, [log, tiles.map(({ level }) => level), tiles.map(({ index }) => index)]),
    bundle: async (log, index) => (await bundles(log, [index]))[0]?.leaves ?? null,
    leavesOf: async (log, record_id) => (await leavesOfEach(log, [record_id])).get(record_id) ?? null,
    lateDecisions: async (log, since) =>
      (await one<{ late: number }>(sql, LATE, [log, since, MINUTE + LOG.includedWithin]))?.late ?? 0,
    hasTimedLeaf: async (log, from) => (await sql.rows(HAS_TIMED_LEAF, [log, from])).length > 0,
    recordAt: async (log, index) => (await one<{ record_id: string }>(sql, RECORD_AT, [log, index]))?.record_id ?? null,
  };
}

function headsIn(
  sql: Sql,
): Pick<LogStore, 'lastHead' | 'heads' | 'unloggedDatasets' | 'datasets' | 'unloggedNames' | 'names'> {
  return {
    unloggedDatasets: () => sql.rows<LoggedDataset>(UNLOGGED_DATASETS),
    datasets: () => sql.rows<LoggedDataset & { log: number; index: number }>(DATASETS),
    unloggedNames: () => sql.rows<LoggedNames>(UNLOGGED_NAMES),
    names: () => sql.rows<LoggedNames & { log: number; index: number }>(LOGGED_NAMES),
    async lastHead(log) {
      const row = await one<HeadRow>(sql, `${HEADS} where h.log = ${TREE} order by h.index desc limit 1`, [log]);
      return row && headOf(row);
    },
    heads: async () => (await sql.rows<HeadRow>(`${HEADS} order by 1, 2`)).map(headOf),
  };
}

function plansIn(sql: Sql): Pick<LogStore, 'pendingPlans' | 'planLeaf'> {
  return {
    pendingPlans: (before, limit, imported) => sql.rows<WaitingPlan>(PENDING_PLANS, [before, limit, imported]),
    planLeaf: async (log, plan_id) => (await one<{ index: number }>(sql, PLAN_LEAF, [log, plan_id]))?.index ?? null,
  };
}

interface HeadRow extends AuditHead, Pick<LoggedHead, 'day' | 'salt'> {
  readonly log: number;
  readonly index: number;
}

function headOf({ seq, seal, ...row }: HeadRow) {
  return { ...row, head: { seq, seal } };
}

async function one<Row extends object>(sql: Sql, text: string, values: readonly unknown[] = []): Promise<Row | null> {
  return (await sql.rows<Row>(text, values))[0] ?? null;
}

interface LeavesRow {
  readonly record_id: string;
  readonly index: number;
  readonly public_salt: Uint8Array;
  readonly producer: Uint8Array;
  readonly outcome_index: number | null;
  readonly outcome_salt: Uint8Array;
  readonly evidence_salt: Uint8Array;
  readonly evidence: string;
  readonly shown: ChangedFacts;
}

function leavesOf({
  outcome_index,
  outcome_salt,
  evidence_salt,
  evidence,
  shown,
  ...decision
}: Omit<LeavesRow, 'record_id'>): DecisionLeaves {
  if (outcome_index === null) return { ...decision, outcome: null };
  return { ...decision, outcome: { index: outcome_index, outcome_salt, evidence_salt, evidence, shown } };
}

const NEWEST = 'select log, origin, key_id from app.logs order by log desc limit 1';

const FIND = 'select log, origin, key_id from app.logs where log = $1';

/** The first log that signed or will sign a leaf, of those that share its leaves: the leaf of a row `row` of a tree. */
export function logOfLeaf(row: string): string {
  return `(select g.log from app.logs g where coalesce(g.tree, g.log) = ${row}.log and exists (
      select from app.log_checkpoints c where c.log = g.log and c.size > ${row}.index) order by g.log limit 1)`;
}

const CHECKPOINT = 'select size::float8 as size, root, signature, key_id from app.log_checkpoints where log = $1';

const LATEST = `${CHECKPOINT} order by size desc limit 1`;

const SIGNED = `${CHECKPOINT} and signature is not null order by size desc limit 1`;

export const IS_PUBLISHED =
  'signature is not null and (witnessed_at is not null or coalesce(served_from <= app.now(), true))';

const PUBLISHED = `${CHECKPOINT} and ${IS_PUBLISHED} order by size desc limit 1`;

/** The subqueries stop at the first row of an index. */
const FIRST_WITH_EACH = `
  select i.index::float8 as index, c.log, c.size::float8 as size, c.root, c.signature, c.key_id
  from unnest($2::bigint[]) i(index) cross join lateral (
    (select t.log, w.size from (select log from ${SHARING} and log <= $1) t cross join lateral (
        select size from app.log_checkpoints where log = t.log and size > i.index and witnessed_at is not null
        order by size limit 1
      ) w order by t.log limit 1)
    union all
    (select t.log, p.size from (
        select log from ${SHARING} and log <= $1 and exists (
          select from app.log_checkpoints s where s.log = logs.log and s.size > i.index and s.signature is not null)
        order by log limit 1
      ) t cross join lateral (
        select size from app.log_checkpoints where log = t.log and size > i.index and ${IS_PUBLISHED}
        order by size limit 1
      ) p)
    limit 1
  ) l join app.log_checkpoints c on c.log = l.log and c.size = l.size`;

const HAS_SIGNED = `
  select 1 from app.log_checkpoints where log = $1 and size >= $2 and size < $3 and signature is not null limit 1`;

const TILES = `
  select t.level, t.index::float8 as index, t.hashes
  from unnest($2::smallint[], $3::bigint[]) w(level, index) join app.log_tiles t on t.log = ${TREE}
    and t.level = w.level and t.index = w.index`;

const BUNDLES = `
  select index::float8 as index, leaves from app.log_bundles where log = ${TREE} and index = any($2::bigint[])`;

const LEAVES_OF = `
  select d.record_id, d.index::float8 as index, d.public_salt, d.producer, o.index::float8 as outcome_index, o.outcome_salt,
    o.evidence_salt, encode(o.evidence, 'hex') as evidence, o.shown
  from app.log_decisions d left join app.log_outcomes o using (log, record_id)
  where d.log = ${TREE} and d.record_id = any($2::text[])`;

const HEADS = `
  select ${logOfLeaf('h')} as log, h.index::float8 as index, h.day::text as day, h.seq::text as seq, h.seal, h.salt
  from app.log_heads h`;

/** Of the file as it is stored, so that a check of the log notices when it is another. */
const SUMS = "p.month = d.month and p.name = 'SHA256SUMS' and p.part = 0";

const LINES = "encode(sha256(convert_to(string_agg(n.line || e'\\n', '' order by n.id), 'UTF8')), 'hex')";

const UNLOGGED_DATASETS = `
  select d.month, encode(sha256(p.content), 'hex') as sha256
  from app.datasets d join app.dataset_parts p on ${SUMS}
  where not exists (select from app.log_datasets l where l.month = d.month) order by d.month`;

const DATASETS = `
  select ${logOfLeaf('d')} as log, d.index::float8 as index, d.month, coalesce(encode(sha256(p.content), 'hex'), '') as sha256
  from app.log_datasets d left join app.dataset_parts p on ${SUMS} order by 1, 2`;

/** Imports are logged in their order, so those after the last logged one are not logged. */
const UNLOGGED_NAMES = `
  select n.learned_at, ${LINES} as sha256 from app.names n
  where n.learned_at > coalesce((select max(l.learned_at) from app.log_names l), '') group by 1 order by 1`;

const LOGGED_NAMES = `
  select ${logOfLeaf('l')} as log, l.index::float8 as index, l.learned_at,
    coalesce((select ${LINES} from app.names n where n.learned_at = l.learned_at), '') as sha256
  from app.log_names l order by 1, 2`;

const PENDING_PLANS = `
  select p.plan_id, encode(p.commitment, 'hex') as commitment, encode(p.producer, 'hex') as producer,
    case when not w.imported then w.ready_at end as happened_at
  from app.log_pending_plans w join app.plans p using (plan_id)
  where w.imported = $3 and w.ready_at < $1 order by w.ready_at limit $2`;

const PLAN_LEAF = `select index::float8 as index from app.log_plans where log = ${TREE} and plan_id = $2`;

const AGENT_SALTS =
  "select agent_id, encode(salt, 'hex') as salt from app.agent_submissions where agent_id = any($1::text[])";

const RECORD_AT = `select record_id from app.log_decisions where log = ${TREE} and index = $2`;

/** The leaves of the checkpoints since a time: few, whatever the log has. */
const LATE = `
  select count(*)::float8 as late
  from app.log_decisions l join app.decisions d using (record_id) join app.logs g on g.log = l.log
  cross join lateral (
    select min(c.signed_at) as signed_at from app.logs t cross join lateral (
      select s.signed_at from app.log_checkpoints s
      where s.log = t.log and s.size > l.index and s.signature is not null order by s.size limit 1
    ) c where coalesce(t.tree, t.log) = l.log
  ) c
  where l.log = ${TREE} and d.submission_origin = 'realtime' and d.submission_time > g.started_at and c.signed_at >= $2
    and l.index >= coalesce((
      select max(b.size) from (select log from ${SHARING}) t cross join lateral (
        select c.size from app.log_checkpoints c where c.log = t.log and c.signed_at < $2 order by c.size desc limit 1
      ) b), 0)
    and c.signed_at > date_trunc('minute', d.submission_time) + $3 * interval '1 millisecond'`;

const HAS_TIMED_LEAF = `
  (select 1 from app.log_plans where log = ${TREE} and index >= $2 limit 1)
  union all
  (select 1 from app.log_decisions l join app.decisions d using (record_id)
    where l.log = ${TREE} and l.index >= $2 and d.submission_origin = 'realtime' limit 1)`;

const SIGN = `
  update app.log_checkpoints set signature = $3, key_id = $4, signed_at = app.now(),
    served_from = app.now() + $5 * interval '1 millisecond'
  where log = $1 and size = $2 and signature is null`;

/** Of more events the number is the estimate of PostgreSQL, so that a check of readiness does not read millions. */
const COUNTED = 10_000;

const OVERVIEW = `
  select coalesce(c.size, 0)::float8 as size, c.signed_at, (
      select case when count(*) > ${COUNTED} then greatest(count(*), (
          select reltuples from pg_class where oid = 'app.log_pending'::regclass
        )) else count(*) end
      from (select from app.log_pending limit ${COUNTED + 1}) p
    )::float8 + (select count(*) from app.log_pending_plans)::float8 as pending, least((
      select p.ready_at from app.log_pending p
      where not p.imported and p.ready_at < $2 and p.event in ('decision', 'numbered', 'outcome')
        and not exists (select from app.log_pending b where b.record_id = p.record_id and b.seq < p.seq)
      order by p.ready_at limit 1
    ), (
      select min(p.ready_at) from app.log_pending_plans p where not p.imported and p.ready_at < $2
    )) as waiting_since
  from app.logs l left join lateral (
    select size, signed_at from app.log_checkpoints where log = l.log and signature is not null order by size desc limit 1
  ) c on true
  where l.log = $1`;
