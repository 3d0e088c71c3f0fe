import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { bringTo } from '../../builders/circuits.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';

let opened: OpenedDatabase;
let service: pg.Client;
let before: readonly object[];

beforeAll(async () => {
  opened = await onPostgres(2);
  await bringTo(opened.storage.circuits, 'USDT', 'normal');
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
  before = await rows();
});
afterAll(async () => {
  await service.end();
  await opened.close();
});

const COLUMNS = ['seq', 'id', 'coin', 'from_state', 'state', 'cause', 'actor', 'reason', 'justification'];
const ROW = `'${randomUUID()}', 'USDT', 'normal', 'tripped', 'trip', 'a', 'r', now()`;
const INSERT = 'insert into app.circuit_snapshots (id, coin, from_state, state, cause, actor, reason, at)';

describe('the service cannot change a snapshot that is there', () => {
  test.each([
    ...[...COLUMNS, 'evidence_urls', 'at'].map((name) =>
      name === 'seq'
        ? 'update app.circuit_snapshots set seq = default'
        : `update app.circuit_snapshots set ${name} = ${name}`,
    ),
    'delete from app.circuit_snapshots',
    'truncate app.circuit_snapshots',
    'truncate app.circuit_snapshots restart identity cascade',
    `merge into app.circuit_snapshots s using (select 1) one on true when matched then update set reason = 'x'`,
    'merge into app.circuit_snapshots s using (select 1) one on true when matched then delete',
    `${INSERT} select id, coin, 'normal', 'tripped', 'trip', 'a', 'r', at from app.circuit_snapshots
      on conflict (id) do update set reason = excluded.reason`,
    'select * from app.circuit_snapshots for update',
    INSERT.replace('(', '(seq, ').concat(` overriding system value values (1000000, ${ROW})`),
    'alter table app.circuit_snapshots disable trigger all',
    'alter table app.circuit_snapshots drop column reason',
    'alter table app.circuit_snapshots rename to gone',
    'drop table app.circuit_snapshots cascade',
    `create rule r as on insert to app.circuit_snapshots do instead nothing`,
    'delete from app.circuit_monitors',
    `insert into app.circuit_monitors (coin) values ('USDT') on conflict do nothing`,
    'update app.peg_observations set price = price',
  ])('%s', async (statement) => {
    await expect(service.query(statement)).rejects.toMatchObject({ code: '42501' });
    expect(await rows()).toEqual(before);
  });

  test('the same id again', async () => {
    const duplicate = `${INSERT} select id, coin, 'normal', 'tripped', 'trip', 'a', 'r', at from app.circuit_snapshots`;
    await expect(service.query(duplicate)).rejects.toMatchObject({ code: '23505' });
    expect(await rows()).toEqual(before);
  });
});

test.each([
  ['nobody did it', ROW.replace("'a', ", 'null, ')],
  ['there is no reason', ROW.replace("'r', ", 'null, ')],
  ['a trip leads elsewhere', ROW.replace("'tripped'", "'normal'")],
  ['a recovery begins elsewhere', ROW.replace("'tripped', 'trip'", "'warming', 'recovery'")],
  ['a resolution has no evidence', ROW.replace("'normal', 'tripped', 'trip'", "'warming', 'normal', 'resolve'")],
  ['the state is none', ROW.replace("'tripped', 'trip'", "'open', 'trip'")],
  ['the coin is none', ROW.replace('USDT', 'DAI')],
])('no snapshot is added where %s', async (_, values) => {
  await expect(service.query(`${INSERT} values (${values})`)).rejects.toMatchObject({
    code: expect.stringMatching(/^235(14|02)$/),
  });
  expect(await rows()).toEqual(before);
});

test('the same statements add one that is sound', async () => {
  await service.query('begin');
  await service.query(`${INSERT} values (${ROW})`);
  const { rowCount } = await service.query('select from app.circuit_snapshots');
  await service.query('rollback');
  expect(rowCount).toBe(before.length + 1);
});

async function rows(): Promise<readonly object[]> {
  const { rows: found } = await opened.owner.query<object>('select * from app.circuit_snapshots order by seq');
  return found;
}
