import type { LogBatch, LogStore, StoredCheckpoint, StoredLog, TileEnd } from '../../../domain/log/log-store.ts';
import type { ShownFacts } from '../../../domain/log/public-outcome.ts';
import { DAY } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';
import { pendingEvents } from './pending-events.ts';

/** SQL by hand: an advisory lock, and whole batches in one statement for each table. */
export function postgresLog(sql: Sql): LogStore {
  const checkpoint = async (text: string, log: number) => (await sql.rows<StoredCheckpoint>(text, [log]))[0] ?? null;
  return {
    lock: async () => void (await sql.rows('select pg_advisory_xact_lock(7382614915)')),
    newest: async () => (await sql.rows<StoredLog>(NEWEST))[0] ?? null,
    find: async (log) => (await sql.rows<StoredLog>(FIND, [log]))[0] ?? null,
    latest: (log) => checkpoint(LATEST, log),
    published: (log) => checkpoint(PUBLISHED, log),
    async firstSigned(log, index) {
      const [row] = await sql.rows<StoredCheckpoint>(FIRST_SIGNED, [log, index]);
      return row ?? null;
    },
    hasSigned: async (log, { from, to }) => (await sql.rows(HAS_SIGNED, [log, from, to])).length > 0,
    start: ({ log, origin, key_id }) =>
      sql.atomically(async (own) => {
        await own.rows('insert into app.logs (log, origin, key_id) values ($1, $2, $3)', [log, origin, key_id]);
        await own.rows(IMPORT);
      }, UNHURRIED),
    pending: (log, before, limit) => pendingEvents(sql, log, before, limit),
    tiles: (log, tiles) =>
      sql.rows<TileEnd>(TILES, [log, tiles.map(({ level }) => level), tiles.map(({ index }) => index)]),
    async bundle(log, index) {
      const [row] = await sql.rows<{ leaves: Uint8Array }>(BUNDLE, [log, index]);
      return row?.leaves ?? null;
    },
    append: (batch) => sql.atomically((own) => append(own, batch)),
    sign: async (log, size, signature) => void (await sql.rows(SIGN, [log, size, signature])),
    async leavesOf(log, record_id) {
      const [row] = await sql.rows<LeavesRow>(LEAVES_OF, [log, record_id]);
      return row ? leavesOf(row) : null;
    },
    async recordAt(log, index) {
      const [row] = await sql.rows<{ record_id: string }>(RECORD_AT, [log, index]);
      return row?.record_id ?? null;
    },
  };
}

/** Naming all decisions takes longer than any statement of a request may. */
const UNHURRIED = DAY;

async function append(sql: Sql, { log, from, head, tiles, bundles, decisions, outcomes, events }: LogBatch) {
  const added = await sql.rows(CHECKPOINT, [log, from, head.size, head.root]);
  if (added.length === 0) throw new Error(`The log ${log} does not have ${from} leaves.`);
  await sql.rows(ADD_TILES, [
    log,
    tiles.map(({ level }) => level),
    tiles.map(({ index }) => index),
    tiles.map(({ hashes }) => hashes),
  ]);
  await sql.rows(ADD_BUNDLES, [log, bundles.map(({ index }) => index), bundles.map(({ leaves }) => leaves)]);
  await sql.rows(ADD_DECISIONS, [
    log,
    decisions.map(({ record_id }) => record_id),
    decisions.map(({ index }) => index),
    decisions.map(({ public_salt }) => public_salt),
    decisions.map(({ producer }) => producer),
  ]);
  await sql.rows(ADD_OUTCOMES, [
    log,
    outcomes.map(({ record_id }) => record_id),
    outcomes.map(({ index }) => index),
    outcomes.map(({ outcome_salt }) => outcome_salt),
    outcomes.map(({ evidence_salt }) => evidence_salt),
    outcomes.map(({ evidence }) => Buffer.from(evidence, 'hex')),
    outcomes.map(({ shown }) => JSON.stringify(shown)),
  ]);
  await sql.rows(DROP_EVENTS, [events.map(({ record_id }) => record_id), events.map(({ seq }) => seq)]);
}

interface LeavesRow {
  readonly index: number;
  readonly public_salt: Uint8Array;
  readonly producer: Uint8Array;
  readonly outcome_index: number | null;
  readonly outcome_salt: Uint8Array;
  readonly evidence_salt: Uint8Array;
  readonly evidence: string;
  readonly shown: ShownFacts;
}

function leavesOf({ outcome_index, outcome_salt, evidence_salt, evidence, shown, ...decision }: LeavesRow) {
  if (outcome_index === null) return { ...decision, outcome: null };
  return { ...decision, outcome: { index: outcome_index, outcome_salt, evidence_salt, evidence, shown } };
}

const NEWEST = 'select log, origin, key_id from app.logs order by log desc limit 1';

const FIND = 'select log, origin, key_id from app.logs where log = $1';

const LATEST = `
  select size::float8 as size, root, signature from app.log_checkpoints where log = $1 order by size desc limit 1`;

const PUBLISHED = `
  select size::float8 as size, root, signature from app.log_checkpoints
  where log = $1 and signature is not null order by size desc limit 1`;

const FIRST_SIGNED = `
  select size::float8 as size, root, signature from app.log_checkpoints
  where log = $1 and size > $2 and signature is not null order by size limit 1`;

const HAS_SIGNED = `
  select 1 from app.log_checkpoints where log = $1 and size >= $2 and size < $3 and signature is not null limit 1`;

/**
 * All of one snapshot: a transaction under way then has written neither its change nor its event for it. Negative numbers
 * come before those of events that follow. A random time in the past gives a random order.
 */
const IMPORT = `
  with dropped as (
    delete from app.log_pending returning 1
  ), events as (
    select d.record_id, e.seq, e.event, case when e.event = 'closed' then d.lifecycle_state end as reason
    from app.decisions d
    left join app.decision_outcomes o using (record_id)
    cross join lateral (values (-3, 'imported', true), (-2, 'outcome', o.record_id is not null),
      (-1, 'closed', app.closes(d.lifecycle_state))) e(seq, event, happened)
    where e.happened and (select count(*) from dropped) >= 0
  )
  insert into app.log_pending (record_id, seq, event, reason, imported, ready_at)
  select record_id, seq, event, reason, true, app.now() - (1 + random()) * interval '1 day' from events`;

const TILES = `
  select t.level, t.index::float8 as index, t.hashes
  from unnest($2::smallint[], $3::bigint[]) w(level, index) join app.log_tiles t on t.log = $1
    and t.level = w.level and t.index = w.index`;

const BUNDLE = 'select leaves from app.log_bundles where log = $1 and index = $2';

/** A log grows by one batch after the other, even if somebody forgot the lock. */
const CHECKPOINT = `
  insert into app.log_checkpoints (log, size, root)
  select $1, $3, $4 where $2::bigint = (select coalesce(max(size), 0) from app.log_checkpoints where log = $1)
  returning 1`;

const ADD_TILES = `
  insert into app.log_tiles as t (log, level, index, hashes)
  select $1, * from unnest($2::smallint[], $3::bigint[], $4::bytea[])
  on conflict (log, level, index) do update set hashes = t.hashes || excluded.hashes`;

const ADD_BUNDLES = `
  insert into app.log_bundles as b (log, index, leaves)
  select $1, * from unnest($2::bigint[], $3::bytea[])
  on conflict (log, index) do update set leaves = b.leaves || excluded.leaves`;

const ADD_DECISIONS = `
  insert into app.log_decisions (log, record_id, index, public_salt, producer)
  select $1, * from unnest($2::text[], $3::bigint[], $4::bytea[], $5::bytea[])`;

const ADD_OUTCOMES = `
  insert into app.log_outcomes (log, record_id, index, outcome_salt, evidence_salt, evidence, shown)
  select $1, * from unnest($2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::jsonb[])`;

const DROP_EVENTS = `
  delete from app.log_pending p using unnest($1::text[], $2::bigint[]) e(record_id, seq)
  where p.record_id = e.record_id and p.seq = e.seq`;

const SIGN = 'update app.log_checkpoints set signature = $3 where log = $1 and size = $2 and signature is null';

const LEAVES_OF = `
  select d.index::float8 as index, d.public_salt, d.producer, o.index::float8 as outcome_index, o.outcome_salt,
    o.evidence_salt, encode(o.evidence, 'hex') as evidence, o.shown
  from app.log_decisions d left join app.log_outcomes o using (log, record_id)
  where d.log = $1 and d.record_id = $2`;

const RECORD_AT = 'select record_id from app.log_decisions where log = $1 and index = $2';
