import { pause } from '../../../application/pause.ts';
import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import {
  type BacktestBatch,
  type BacktestRow,
  type BacktestSet,
  type Holdings,
  nothingReceived,
  type Received,
  type SetName,
} from '../../../domain/backtests/backtest.ts';
import { BACKTEST } from '../../../domain/limits.ts';
import { type Instrument, identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import type { Sql } from '../kit/sql.ts';

/** Of `SetRow`. */
export const SET = 'set_id, owner_id, agent_id, name, source, horizon_rule, created_at';

export type SetRow = Omit<BacktestSet, 'about'> & BacktestSet['about'];

export function setOf({ source, horizon_rule, ...set }: SetRow): BacktestSet {
  return { ...set, about: { source, horizon_rule } };
}

/** @param lock holds the set until the transaction ends: its removal, and what deletes its rows, wait */
export async function findSet(sql: Sql, { owner_id, agent_id, name }: SetName, lock = ''): Promise<BacktestSet | null> {
  const text = `select ${SET} from app.backtest_sets
    where owner_id = $1 and agent_id = $2 and name = $3 and removed_at is null ${lock}`;
  const [row] = await sql.rows<SetRow>(text, [owner_id, agent_id, name]);
  return row ? setOf(row) : null;
}

/** In a transaction, in which the owner stays locked. */
export async function receiveRows(sql: Sql, batch: BacktestBatch, now: Date): Promise<Received> {
  const { owner_id, agent_id, about } = batch;
  await lockOwner(sql, owner_id);
  const text = 'select archived_at from app.agents where owner_id = $1 and agent_id = $2';
  usableAgent((await sql.rows<{ archived_at: Date | null }>(text, [owner_id, agent_id]))[0], agent_id);
  const known = await findSet(sql, batch, 'for no key update');
  // Rows make a set: without any it would count against no limit.
  if (!known && batch.rows.length === 0) return nothingReceived(await holdingsOf(sql, owner_id, null));
  const set = known ?? (await addSet(sql, batch, now));
  if (set.about.source !== about.source || set.about.horizon_rule !== about.horizon_rule)
    return { kind: 'other_about', about: set.about };
  const stored = await storedIds(sql, set.set_id, batch.rows);
  const added = batch.rows.filter(({ external_id }) => !stored.has(external_id));
  if (added.length > 0) await addRows(sql, set.set_id, added, now);
  return {
    kind: 'received',
    accepted: new Set(added.map(({ external_id }) => external_id)),
    other: new Set([...stored].flatMap(([external_id, isSame]) => (isSame ? [] : [external_id]))),
    holdings: await holdingsOf(sql, owner_id, set.set_id),
  };
}

async function addSet(sql: Sql, { owner_id, agent_id, name, about }: BacktestBatch, now: Date): Promise<BacktestSet> {
  const text = `insert into app.backtest_sets (owner_id, agent_id, name, source, horizon_rule, created_at)
    values ($1, $2, $3, $4, $5, $6) returning ${SET}`;
  const [row] = await sql.rows<SetRow>(text, [owner_id, agent_id, name, about.source, about.horizon_rule, now]);
  if (!row) throw new Error('An insert returned no row.');
  return setOf(row);
}

/** Of the rows that the set has: whether their bodies are the same. Bodies of new rows, which most are, are not sent for it. */
async function storedIds(sql: Sql, set_id: number, rows: readonly BacktestRow[]): Promise<Map<string, boolean>> {
  const ids = rows.map(({ external_id }) => external_id);
  const known = await sql.rows<{ external_id: string }>(KNOWN_IDS, [set_id, ids]);
  if (known.length === 0) return new Map();
  const found = new Set(known.map(({ external_id }) => external_id));
  const compared = rows.filter(({ external_id }) => found.has(external_id));
  const values = [set_id, compared.map(({ external_id }) => external_id), compared.map(({ body }) => body)];
  const same = await sql.rows<{ external_id: string; same: boolean }>(SAME_BODIES, values);
  return new Map(same.map(({ external_id, same: isSame }) => [external_id, isSame]));
}

const KNOWN_IDS = 'select external_id from app.backtest_rows where set_id = $1 and external_id = any($2::text[])';

const SAME_BODIES = `
  select r.external_id, d.body = s.body as same
  from unnest($2::text[], $3::text[]) s(external_id, body)
  join app.backtest_rows r on r.set_id = $1 and r.external_id = s.external_id
  join app.backtest_documents d using (row_id)`;

async function addRows(sql: Sql, set_id: number, rows: readonly BacktestRow[], now: Date): Promise<void> {
  const byInstrument = Map.groupBy(rows, instrumentKey);
  const instruments = [...byInstrument.values()].flatMap((own) => {
    const [first] = own.toSorted((a, b) => a.settles_at.getTime() - b.settles_at.getTime());
    return first ? [{ ...identityOf(first), settles_at: first.settles_at }] : [];
  });
  // The lock of an instrument is held until the rows are committed: who ends a claim of it sees them.
  const values = [set_id, JSON.stringify(instruments)];
  const placed = await sql.rows<Instrument & { readonly place: number }>(ADD_INSTRUMENTS, values);
  const sent = placed.flatMap(({ place, ...instrument }) =>
    (byInstrument.get(instrumentKey(instrument)) ?? []).map((row) => ({ ...row, place })),
  );
  const bodies = sent.map(({ body }) => body);
  await sql.rows(ADD_ROWS, [set_id, await jsonOf(sent), now, bodies.join('\n')]);
  const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  await sql.rows(COUNT_ROWS, [set_id, rows.length, bytes]);
}

/** The columns of the rows as a list for `json_to_recordset`. */
async function jsonOf(rows: readonly (BacktestRow & { readonly place: number })[]): Promise<string> {
  const written: string[] = [];
  for (const row of rows) {
    written.push(JSON.stringify(row, SENT_COLUMNS));
    // Without `giveWay`: the owner is locked.
    if (written.length % BACKTEST.slice === 0) await pause();
  }
  return `[${written.join()}]`;
}

const IDENTITY = 'market, symbol, venue, asset_class, quote_currency';

const ADD_INSTRUMENTS = `
  insert into app.backtest_instruments as i (set_id, place, ${IDENTITY}, due_at)
  select $1, row_number() over (order by ${IDENTITY})
      + (select coalesce(max(k.place), 0) from app.backtest_instruments k where k.set_id = $1), ${IDENTITY}, settles_at
    from json_to_recordset($2::json) as s(market text, symbol text, venue text, asset_class text, quote_currency text,
      settles_at timestamptz)
  on conflict (set_id, ${IDENTITY}) do update set due_at = least(i.due_at, excluded.due_at)
  returning i.place, ${IDENTITY.replaceAll(/\w+/g, 'i.$&')}`;

const SENT_COLUMNS = [
  ...['place', 'external_id', 'direction', 'horizon_kind', 'horizon_value', 'confidence', 'knowledge'],
  ...['anchor_time', 'end_time', 'settles_at', 'method'],
];

/** The bodies are lines, which canonical JSON never breaks: each is escaped and parsed once, not twice. */
const ADD_ROWS = `
  with sent as materialized (
    select * from rows from (
      json_to_recordset($2::json) as (place smallint, external_id text, direction text, horizon_kind text,
        horizon_value int, confidence float8, knowledge text, anchor_time timestamptz, end_time timestamptz,
        settles_at timestamptz, method text),
      string_to_table($4, E'\\n')
    ) as s(place, external_id, direction, horizon_kind, horizon_value, confidence, knowledge, anchor_time, end_time,
      settles_at, method, body)
  ), added as (
    insert into app.backtest_rows (set_id, place, external_id, direction, horizon_kind, horizon_value, confidence, knowledge,
      anchor_time, end_time, settles_at, received_at, method, due_at)
    select $1, place, external_id, direction, horizon_kind, horizon_value, confidence, knowledge, anchor_time, end_time,
      settles_at, $3, method, settles_at
    from sent
    returning row_id, external_id
  )
  insert into app.backtest_documents (row_id, body) select a.row_id, s.body from added a join sent s using (external_id)`;

const COUNT_ROWS = 'update app.backtest_sets set rows = rows + $2, bytes = bytes + $3 where set_id = $1';

async function holdingsOf(sql: Sql, owner_id: string, set_id: number | null): Promise<Holdings> {
  const text = `select coalesce(sum(rows), 0)::float8 as rows, coalesce(sum(bytes), 0)::float8 as bytes, count(*)::int as sets,
      (select count(*)::int from app.backtest_instruments where set_id = $2) as instruments
    from app.backtest_sets where owner_id = $1 and removed_at is null`;
  const [row] = await sql.rows<Holdings>(text, [owner_id, set_id]);
  if (!row) throw new Error('A count returned no row.');
  return row;
}
