import { endEvaluations } from '../../../adapters/postgres/decisions/evaluation-ends.ts';
import { openDataSource, poolSql } from '../../../adapters/postgres/kit/data-source.ts';
import type { DatabaseUrls } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { SERVICE_ROLE } from '../../../infrastructure/embedded-postgres/roles.ts';
import { addCallers, type Caller } from '../stage/callers.ts';
import { onClient } from '../stage/client.ts';
import { gradedOf } from '../stage/graded.ts';
import { AGENTS, CALLS, RECORDS, SYMBOLS } from './calls.ts';
import { draftFunction } from './drafts.ts';

export interface Population {
  readonly agents: readonly Caller[];
  /** The `data_cutoff` of every call. Two hours later the calls would be retroactive. */
  readonly at: Date;
  readonly records: readonly StoredRecord[];
}

/** A readable record with its agent. */
export interface StoredRecord {
  readonly record_id: string;
  readonly agent_id: string;
}

/** No agent of the load reaches it. */
export const SUBMITS_PER_HOUR = 1_000_000_000;

/** Adds agents with keys, verified instruments, evaluated records, and for the references `bench.draft` and plain tables. */
export function populate(urls: DatabaseUrls): Promise<Population> {
  return onClient(urls.url, async (client) => {
    const at = new Date();
    await client.query('create schema bench');
    const agents = await addCallers(client, AGENTS, AGENTS);
    await client.query(ADD_INSTRUMENTS);
    await client.query(draftFunction(agents, at, SUBMITS_PER_HOUR));
    await client.query(ADD_RECORDS);
    const { rows: records } = await client.query<StoredRecord>(CLAIM, [TOKEN]);
    await evaluateAll(urls.serviceUrl, records, at);
    await client.query(PLAIN_TABLES);
    await client.query('analyze');
    return { agents, at, records };
  });
}

/** Verified instruments of the numbered calls. */
export const ADD_INSTRUMENTS = `
  insert into app.instruments (instrument, market, symbol, venue, asset_class, quote_currency, status, checked_at)
  select 'crypto:' || symbol || ':BINANCE:spot:USDT', 'crypto', symbol, 'BINANCE', 'spot', 'USDT', 'verified', app.now()
  from (select 'B' || lpad(n::text, 6, '0') as symbol from generate_series(0, ${SYMBOLS - 1}) n) symbols
  on conflict do nothing`;

/** Records of the last numbers of calls, with consecutive ids for pgbench. */
const ADD_RECORDS = `
  do $$ begin
    for n in 1..${RECORDS} loop
      perform app.submit_batch(bench.draft(${CALLS} - n, lpad(to_hex(n), 8, '0')), 1000, '48 hours', '24 hours');
    end loop;
  end $$`;

/** Any token: no other process has a lease. */
const TOKEN = '00000000-0000-4000-8000-000000000000';
const CLAIM = `
  with claimed as (
    update app.decisions set lifecycle_state = 'evaluating', eval_token = $1, attempts = 1
    returning record_id, agent_id
  )
  select record_id, agent_id from claimed order by record_id`;
const TOGETHER = 500;

/** Ends the evaluations with the service's own statements. */
async function evaluateAll(url: string, records: readonly StoredRecord[], at: Date): Promise<void> {
  const source = await openDataSource({ url, poolSize: 1 });
  try {
    for (let from = 0; from < records.length; from += TOGETHER) {
      const ends = records.slice(from, from + TOGETHER).map(({ record_id }, n) => {
        return { record_id, token: TOKEN, result: gradedOf(record_id, 100 + (from + n) / 8, at), retry_at: null };
      });
      await endEvaluations(poolSql(source), ends, at);
    }
  } finally {
    await source.destroy();
  }
}

/** A record as a service without guarantees would store it: one JSON text, as long as the service's own. */
const PLAIN_TABLES = `
  create table bench.submissions (id bigint generated always as identity primary key, body jsonb not null);
  create table bench.records (record_id text primary key, body jsonb not null);
  insert into bench.records
    select record_id, (statement::jsonb -> 'body') || o.facts || jsonb_build_object('statement', statement, 'bars', (
      select jsonb_agg(jsonb_build_object('start', n, 'end', n, 'open', 100.25, 'high', 101.62, 'low', 99.31, 'close', 100.5,
        'volume', 18422.381, 'split', 1, 'total', 1)) from generate_series(o_start, o_start + 19 * interval '1 day', '1 day') n))
    from app.decision_documents join app.decision_outcomes o using (record_id),
      (select '2026-01-01T00:00:00Z'::timestamptz as o_start) start;
  grant usage on schema bench to ${SERVICE_ROLE};
  grant select, insert on all tables in schema bench to ${SERVICE_ROLE}`;
