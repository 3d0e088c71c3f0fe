import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import * as called from '../../../../adapters/postgres/functions/called-functions.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

const ADAPTER = join(import.meta.dirname, '../../../../adapters/postgres');

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client(database.serviceUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The parameters of each function of that name, in their order. */
async function catalogued(name: string): Promise<(readonly [string, string])[][]> {
  const { rows } = await client.query<{ names: string[] | null; types: string[] }>(
    `select proargnames as names, array(
       select format_type(type, null) from unnest(proargtypes::oid[]) with ordinality t(type, place) order by place) as types
     from pg_proc where pronamespace = 'app'::regnamespace and proname = $1`,
    [name.replace('app.', '')],
  );
  return rows.map(({ names, types }) => types.map((type, index) => [names?.[index] ?? '', type] as const));
}

describe.each(Object.values(called))('$name', ({ name, parameters, call, values }) => {
  test('has the parameters in the catalogue that the service calls it with, in name, type and order', async () => {
    expect(await catalogued(name)).toEqual([Object.entries(parameters)]);
  });

  test('is called with each parameter by its name', () => {
    const byName = Object.fromEntries(Object.keys(parameters).map((parameter) => [parameter, `of ${parameter}`]));
    const inOrder = (values as (all: typeof byName) => readonly unknown[])(byName);
    const named = /\((.*)\)$/.exec(call)?.[1]?.split(', ') ?? [];
    const read = named.map((argument) => /^(\w+) => \$(\d+)::(.+)$/.exec(argument)?.slice(1) ?? []);
    expect(read.map(([parameter, place]) => [parameter, inOrder[Number(place) - 1]])).toEqual(Object.entries(byName));
    expect(read.map(([parameter, , type]) => [parameter, type])).toEqual(Object.entries(parameters));
  });
});

test('no statement of the storage calls a function with more than one argument by position', () => {
  const files = readdirSync(ADAPTER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const byPosition = files.flatMap((file) => {
    const text = readFileSync(join(ADAPTER, file), 'utf8');
    return [...text.matchAll(/\bapp\.\w+\(([^()]*,[^()]*)\)/g)]
      .filter(([call, inside = '']) => !isTable(text, call) && inside.split(',').some((each) => !each.includes('=>')))
      .map(([call]) => `${file}: ${call}`);
  });
  expect(byPosition).toEqual([]);
});

/** `insert into app.table(columns)`. */
function isTable(text: string, call: string): boolean {
  return text.includes(`into ${call}`);
}
