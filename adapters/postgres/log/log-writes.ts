import { countedLeaves } from '../../../domain/log/leaves/leaf.ts';
import type { LogBatch, StoredLog } from '../../../domain/log/log-store.ts';
import { DAY } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

/** Under which number the leaves of the log $1 are stored. */
export const TREE = '(select coalesce(tree, log) from app.logs where log = $1)';

/** The logs that share the leaves of the log $1. */
export const SHARING = `app.logs where coalesce(tree, log) = ${TREE}`;

/** See `LogStore.start`. */
export function start(sql: Sql, { log, origin, key_id }: StoredLog, continued: number | null): Promise<void> {
  return sql.atomically(async (own) => {
    await own.rows(ADD_LOG, [log, origin, key_id, continued]);
    if (continued !== null) return;
    await own.rows(IMPORT);
    await own.rows('delete from app.log_pending_plans');
    await own.rows(IMPORT_PLANS);
  }, UNHURRIED);
}

const ADD_LOG = `
  insert into app.logs (log, origin, key_id, tree)
  values ($1, $2, $3, (select coalesce(tree, log) from app.logs where log = $4))`;

/** Naming all decisions takes longer than any statement of a request may. */
const UNHURRIED = DAY;

/** See `LogStore.append`. */
export function append(sql: Sql, batch: LogBatch): Promise<void> {
  return sql.atomically(async (own) => {
    await addTree(own, batch);
    await addOpenings(own, batch);
    const { events } = batch;
    await own.rows(DROP_EVENTS, [
      arrayOf(events.map(({ record_id }) => record_id)),
      arrayOf(events.map(({ seq }) => seq)),
    ]);
  });
}

async function addTree(sql: Sql, { log, from, head, tiles, bundles }: LogBatch): Promise<void> {
  const added = await sql.rows(CHECKPOINT, [log, from, head.size, head.root]);
  if (added.length === 0) throw new Error(`The log ${log} does not have ${countedLeaves(from)}.`);
  await sql.rows(ADD_TILES, [
    log,
    tiles.map(({ level }) => level),
    tiles.map(({ index }) => index),
    tiles.map(({ hashes }) => hashes),
  ]);
  await sql.rows(ADD_BUNDLES, [log, bundles.map(({ index }) => index), bundles.map(({ leaves }) => leaves)]);
}

async function addOpenings(
  sql: Sql,
  { log, decisions, outcomes, heads, datasets, names, plans }: LogBatch,
): Promise<void> {
  if (decisions.length > 0)
    await sql.rows(ADD_DECISIONS, [
      log,
      arrayOf(decisions.map(({ record_id }) => record_id)),
      arrayOf(decisions.map(({ index }) => index)),
      digestsOf(decisions.map(({ public_salt }) => public_salt)),
      digestsOf(decisions.map(({ producer }) => producer)),
    ]);
  if (outcomes.length > 0)
    await sql.rows(ADD_OUTCOMES, [
      log,
      arrayOf(outcomes.map(({ record_id }) => record_id)),
      arrayOf(outcomes.map(({ index }) => index)),
      digestsOf(outcomes.map(({ outcome_salt }) => outcome_salt)),
      digestsOf(outcomes.map(({ evidence_salt }) => evidence_salt)),
      Buffer.from(outcomes.map(({ evidence }) => evidence).join(''), 'hex'),
      outcomes.map(({ shown }) => JSON.stringify(shown)),
    ]);
  if (plans.length > 0)
    await sql.rows(ADD_PLANS, [log, plans.map(({ plan_id }) => plan_id), plans.map(({ index }) => index)]);
  for (const { index, day, head, salt } of heads)
    await sql.rows(ADD_HEAD, [log, index, day, head.seq, head.seal, salt]);
  for (const { index, month } of datasets) await sql.rows(ADD_DATASET, [log, index, month]);
  for (const { index, learned_at } of names) await sql.rows(ADD_NAMES, [log, index, learned_at]);
}

/** An array as PostgreSQL reads it, in a fifth of the time that the driver takes for each of its texts. */
function arrayOf(values: readonly (string | number)[]): string | readonly (string | number)[] {
  const text = JSON.stringify(values);
  // PostgreSQL reads escapes of JSON otherwise.
  return text.includes('\\') ? values : `{${text.slice(1, -1)}}`;
}

/**
 * Digests and salts, one after the other: as an array, both sides would write and read each as a text.
 * @throws Error for one of another length, after which the others would be wrong
 */
function digestsOf(digests: readonly Uint8Array[]): Uint8Array {
  if (digests.some(({ length }) => length !== DIGEST))
    throw new Error(`A digest or a salt is not ${DIGEST} bytes long.`);
  return Buffer.concat(digests);
}

const DIGEST = 32;

/** The digest of the row `at` of those that the parameter has. */
function digestAt(parameter: string): string {
  return `substr(${parameter}::bytea, ${DIGEST} * at::int - ${DIGEST - 1}, ${DIGEST})`;
}

/**
 * All of one snapshot: a transaction under way then has written neither its change nor its event for it. Negative numbers
 * come before those of events that follow. A random time in the past gives a random order. The events of a record are in
 * order: each batch passes over those whose decision is not in the log yet, and half of all would be more with each record.
 */
const IMPORT = `
  with dropped as (
    delete from app.log_pending returning 1
  ), drawn as materialized (
    select record_id, lifecycle_state, random() as a, random() as b, random() as c from app.decisions
  )
  insert into app.log_pending (record_id, seq, event, reason, imported, ready_at)
  select d.record_id, e.seq, e.event, case when e.event = 'closed' then d.lifecycle_state end, true,
    app.now() - (1 + e.earlier) * interval '1 day'
  from drawn d
  left join app.decision_outcomes o using (record_id)
  cross join lateral (values (-3, 'imported', true, a), (-2, 'outcome', o.record_id is not null, a * b),
    (-1, 'closed', app.closes(d.lifecycle_state), a * b * c)) e(seq, event, happened, earlier)
  where e.happened and (select count(*) from dropped) >= 0`;

/** A log grows by one batch after the other, even if somebody forgot the lock. */
const CHECKPOINT = `
  insert into app.log_checkpoints (log, size, root)
  select $1, $3, $4 where $2::bigint = (
    select coalesce(max(c.size), 0) from (select log from ${SHARING}) g cross join lateral (
      select size from app.log_checkpoints where log = g.log order by size desc limit 1) c)
  returning 1`;

const ADD_TILES = `
  insert into app.log_tiles as t (log, level, index, hashes)
  select ${TREE}, * from unnest($2::smallint[], $3::bigint[], $4::bytea[])
  on conflict (log, level, index) do update set hashes = t.hashes || excluded.hashes`;

const ADD_BUNDLES = `
  insert into app.log_bundles as b (log, index, leaves)
  select ${TREE}, * from unnest($2::bigint[], $3::bytea[])
  on conflict (log, index) do update set leaves = b.leaves || excluded.leaves`;

const ADD_DECISIONS = `
  insert into app.log_decisions (log, record_id, index, public_salt, producer)
  select ${TREE}, record_id, index, ${digestAt('$4')}, ${digestAt('$5')}
  from unnest($2::text[], $3::bigint[]) with ordinality l(record_id, index, at)`;

const ADD_OUTCOMES = `
  insert into app.log_outcomes (log, record_id, index, outcome_salt, evidence_salt, evidence, shown)
  select ${TREE}, record_id, index, ${digestAt('$4')}, ${digestAt('$5')}, ${digestAt('$6')}, shown
  from unnest($2::text[], $3::bigint[], $7::jsonb[]) with ordinality l(record_id, index, shown, at)`;

const ADD_PLANS = `
  with placed as (
    insert into app.log_plans (log, plan_id, index)
    select ${TREE}, * from unnest($2::uuid[], $3::bigint[]) returning plan_id
  )
  delete from app.log_pending_plans p using placed where p.plan_id = placed.plan_id`;

/** In random order, as decisions are. A plan that is stated meanwhile has its row already. */
const IMPORT_PLANS = `
  insert into app.log_pending_plans (plan_id, imported, ready_at)
  select plan_id, true, app.now() - (1 + random()) * interval '1 day' from app.plans
  on conflict (plan_id) do nothing`;

const ADD_HEAD = `insert into app.log_heads (log, index, day, seq, seal, salt) values (${TREE}, $2, $3, $4, $5, $6)`;

const ADD_DATASET = `insert into app.log_datasets (log, index, month) values (${TREE}, $2, $3)`;

const ADD_NAMES = `insert into app.log_names (log, index, learned_at) values (${TREE}, $2, $3)`;

const DROP_EVENTS = `
  delete from app.log_pending p using unnest($1::text[], $2::bigint[]) e(record_id, seq)
  where p.record_id = e.record_id and p.seq = e.seq`;
