import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { aPlan } from '../../builders/plans.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';

let opened: OpenedDatabase;
let service: pg.Client;
// Before the bench drops the database.
afterAll(() => service.end());
const bench = benchOn({
  name: 'postgres',
  async open() {
    opened = await onPostgres(2);
    return opened;
  },
});

let living: string;
let removed: string;

async function planOf(isRemoved: boolean): Promise<string> {
  const { owner_id, agent_id } = await bench.agent();
  const plan = aPlan({ owner_id, agent_id, stated_at: await bench.now() });
  await bench.storage().plans.add(plan);
  if (isRemoved) await bench.operators().ownerAdministration.remove(owner_id);
  return plan.plan_id;
}

beforeAll(async () => {
  [living, removed] = [await planOf(false), await planOf(true)];
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

const refused = { code: '42501' };
const EMPTY = 'update app.plans set salt = null, statement = null, question = null, content = null';

describe.each(['living', 'removed'] as const)('the plan of an owner who is %s', (name) => {
  test.each([
    ['is emptied', EMPTY, name === 'removed'],
    ['is emptied with another time', `${EMPTY}, stated_at = app.now() - interval '1 day'`, false],
    ['is emptied with another commitment', `${EMPTY}, commitment = sha256(commitment)`, false],
    ['is emptied with another owner', `${EMPTY}, owner_id = gen_random_uuid()`, false],
    ['says something else', `update app.plans set statement = '{}'`, false],
    ['is removed', 'delete from app.plans', false],
  ])('%s', async (_, sql, isAllowed) => {
    const values = [name === 'living' ? living : removed];
    const whole = `${sql} where plan_id = $1`;
    await expect(service.query(whole, values)).rejects.toMatchObject(refused);
    await opened.owner.query('begin');
    const change = opened.owner.query(whole, values);
    if (isAllowed) await change;
    else await expect(change).rejects.toMatchObject(refused);
    await opened.owner.query('rollback');
  });
});

test('plans are received with their salt, and stay with their places in the log', async () => {
  const copy = `insert into app.plans (plan_id, owner_id, agent_id, stated_at, commitment, producer)
    select gen_random_uuid(), owner_id, agent_id, stated_at, commitment, producer from app.plans where plan_id = $1`;
  for (const client of [service, opened.owner])
    await expect(client.query(copy, [living])).rejects.toMatchObject(refused);
  for (const sql of ['truncate app.plans', 'truncate app.log_plans'])
    await expect(opened.owner.query(sql)).rejects.toMatchObject(refused);
});

test('a plan that is written by hand is pending, too', async () => {
  const { owner_id, agent_id } = await bench.agent();
  const { plan_id } = aPlan({ owner_id, agent_id, stated_at: await bench.now() });
  await opened.owner.query(
    `insert into app.plans (plan_id, owner_id, agent_id, stated_at, commitment, producer, salt, statement, question, content)
    select $1, $2, $3, stated_at, commitment, producer, salt, statement, question, content from app.plans where plan_id = $4`,
    [plan_id, owner_id, agent_id, living],
  );
  const { rows } = await opened.owner.query('select imported from app.log_pending_plans where plan_id = $1', [plan_id]);
  expect(rows).toEqual([{ imported: false }]);
});
