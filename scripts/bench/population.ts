import pg from 'pg';
import { type Agent, addAgents } from './agents.ts';
import { CALLS, RECORDS, SYMBOLS } from './calls.ts';
import { draftFunction } from './drafts.ts';
import { outcomeOf } from './outcomes.ts';

export interface Population {
  readonly agents: readonly Agent[];
  /** The `data_cutoff` of every call; two hours later the calls would be retroactive. */
  readonly at: Date;
  readonly records: readonly StoredRecord[];
}

/** A record that can be read, and whose it is. */
export interface StoredRecord {
  readonly record_id: string;
  readonly agent_id: string;
}

/** No agent of the load comes near it. */
export const SUBMITS_PER_HOUR = 1_000_000_000;

/** Agents with keys, verified instruments, evaluated records, and what the references need: `bench.draft`, plain tables. */
export async function populate(ownerUrl: string, serviceRole: string): Promise<Population> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const at = new Date();
    await client.query('create schema bench');
    const agents = await addAgents(client);
    await client.query(ADD_INSTRUMENTS);
    await client.query(draftFunction(agents, at, SUBMITS_PER_HOUR));
    await client.query(ADD_RECORDS);
    const { result_bucket, created_regime, facts, owner_facts, bars } = outcomeOf(at);
    const outcome = [result_bucket, created_regime, facts, owner_facts, JSON.stringify(bars)];
    const { rows: records } = await client.query<StoredRecord>(EVALUATE, outcome);
    await client.query(plainTables(serviceRole));
    await client.query('analyze');
    return { agents, at, records };
  } finally {
    await client.end();
  }
}

const ADD_INSTRUMENTS = `
  insert into app.instruments (instrument, market, symbol, venue, asset_class, quote_currency, status, checked_at)
  select 'crypto:' || symbol || ':BINANCE:spot:USDT', 'crypto', symbol, 'BINANCE', 'spot', 'USDT', 'verified', app.now()
  from (select 'B' || lpad(n::text, 6, '0') as symbol from generate_series(0, ${SYMBOLS - 1}) n) symbols`;

/** Of the last calls that there are, with ids that pgbench can count through. */
const ADD_RECORDS = `
  do $$ begin
    for n in 1..${RECORDS} loop
      perform app.submit(bench.draft(${CALLS} - n, lpad(to_hex(n), 8, '0')), 1000);
    end loop;
  end $$`;

const EVALUATE = `
  with evaluated as (
    update app.decisions set lifecycle_state = 'evaluated', due_at = null, attempts = 1, evaluated_at = app.now(),
      result_bucket = $1, created_regime = $2
    returning record_id, agent_id
  ), outcomes as (
    insert into app.decision_outcomes (record_id, facts, owner_facts, bars)
      select record_id, $3, $4, $5::jsonb from evaluated
  )
  select record_id, agent_id from evaluated order by record_id`;

function plainTables(serviceRole: string): string {
  return `
    create table bench.submissions (id bigint generated always as identity primary key, body jsonb not null);
    create table bench.records (record_id text primary key, body jsonb not null);
    insert into bench.records
      select record_id, submission || o.facts || jsonb_build_object('statement', statement, 'bars', o.bars)
      from app.decision_documents join app.decision_outcomes o using (record_id);
    grant usage on schema bench to ${serviceRole};
    grant select, insert on all tables in schema bench to ${serviceRole};`;
}
