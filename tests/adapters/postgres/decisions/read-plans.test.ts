import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { readDecisions } from '../../../../adapters/postgres/decisions/decision-reader.ts';
import { rangeOf } from '../../../../adapters/postgres/decisions/record-months.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.serviceUrl });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

test.each(['this month', 'another month'])('a read of a record of %s reads no other decisions', async (month) => {
  const now = new Date();
  const day = month === 'another month' ? '20240102' : now.toISOString().slice(0, 10).replaceAll('-', '');
  const id = `dec_${day}_00000001`;
  const range = rangeOf([id], now);
  // Without this, tables as small as these are read whole.
  await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan; deallocate all');
  await client.query(`prepare read as ${readDecisions(range)}`);
  const values = [`array['${id}']`, 'array[null]::uuid[]', ...range.values.map((value) => `'${value}'`)];
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (format json) execute read(${values.join()})`,
  );
  const read = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
  const decisions = read.filter((node) => node['Relation Name']?.startsWith('decisions'));
  expect(decisions.length).toBeGreaterThanOrEqual(2);
  expect(decisions.filter((node) => !node['Index Cond']?.includes('record_id'))).toEqual([]);
});

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
