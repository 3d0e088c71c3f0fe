import pg from 'pg';
import { onClient } from '../../stage/client.ts';
import { submissionOf } from '../../stage/submission.ts';
import { SYMBOLS } from '../calls.ts';
import type { Stage } from '../stage.ts';

/** A record for a store of JSON documents: as many bytes as the service's own, in fields of the same names. */
export interface RivalRecord {
  readonly agent_id: string;
  readonly submission_time: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The field with everything that is not in the submission. */
export const OUTCOME = 'outcome';

/** The fields that the service's list has of each record, as far as a rival has them. */
export const LISTED = [
  ...['market', 'symbol', 'venue', 'asset_class', 'quote_currency', 'direction', 'horizon_kind', 'horizon_value'],
  ...['data_cutoff', 'perspective_type'],
];

/** An example value of each field, from which the columns are made. */
export const SAMPLE: Readonly<Record<string, unknown>> = {
  agent_id: '',
  ...submissionOf({ symbol: `B${SYMBOLS}`, direction: 'bullish' }, new Date(0)),
  [OUTCOME]: {},
};

/** All evaluated records of the stage. */
export async function rivalRecords({ database }: Stage): Promise<readonly RivalRecord[]> {
  return onClient(
    database.url,
    async (client) => (await client.query<RivalRecord>(RECORDS, [Object.keys(SAMPLE)])).rows,
  );
}

const RECORDS = `
  select d.agent_id, to_jsonb(d.submission_time) #>> '{}' as submission_time,
    (select jsonb_object_agg(key, value) from jsonb_each(r.body) where key = any($1))
      || jsonb_build_object('agent_id', d.agent_id, '${OUTCOME}', r.body - $1::text[]) as fields
  from bench.records r join app.decisions d using (record_id)`;

/** Creates a database of the stage's cluster for a rival. Returns its URL. */
export async function rivalDatabase({ database }: Pick<Stage, 'database'>, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  return url.href;
}

interface Filling {
  readonly table: string;
  /** The column that its list is sorted by. */
  readonly created: string;
  readonly rows: readonly object[];
  /** The sequence of its ids, if it has one. */
  readonly counter?: string;
}

/** Inserts the records into the rival's table with SQL, and creates the index that its list needs. */
export async function fillTable(url: string, { table, created, rows, counter }: Filling): Promise<void> {
  await onClient(url, async (client) => {
    for (let from = 0; from < rows.length; from += TOGETHER) {
      const batch = JSON.stringify(rows.slice(from, from + TOGETHER));
      await client.query(`insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`, [
        batch,
      ]);
    }
    await client.query(`create index on ${table} (agent_id, ${created} desc)`);
    if (counter) await client.query('select setval($1, $2)', [counter, rows.length]);
    await client.query('analyze');
  });
}

const TOGETHER = 500;
