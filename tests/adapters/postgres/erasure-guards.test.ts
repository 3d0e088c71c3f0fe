import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { ERASURE } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import { type AgentCaller, receiptOf } from '../../builders/decisions.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { evaluateAll } from '../../contracts/decisions/evaluated.ts';

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

/** An account that is there, with a graded record and a workflow, and one that is removed. */
interface Party {
  readonly agent: AgentCaller;
  readonly record_id: string;
  readonly hash: string;
}
let living: Party;
let removed: Party;

async function party(): Promise<Party> {
  const agent = await bench.agent();
  const hash = await bench.arrange().publish(agent.owner_id, 'private');
  const draft = await bench.hindsight(agent, { symbol: 'BTC', reference_price: 100 });
  const { record_id } = receiptOf(await bench.storage().intake.submit(draft));
  return { agent, record_id, hash };
}

beforeAll(async () => {
  [living, removed] = [await party(), await party()];
  await evaluateAll(bench);
  await bench.operators().ownerAdministration.remove(removed.agent.owner_id);
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

const refused = { code: '42501' };
const ERASED = `statement = app.erased_statement(statement, salt, (select owner_id from app.decisions where record_id = $1),
  (select agent_id from app.decisions where record_id = $1)), salt = null, submission = null, confidence = null`;

describe.each(['living', 'removed'] as const)('of an owner who is %s', (name) => {
  const of = () => (name === 'living' ? living : removed);

  test.each([
    ['the exact erased form', `update app.decision_documents set ${ERASED} where record_id = $1`, 'removed'],
    ['the salt alone', 'update app.decision_documents set salt = null where record_id = $1', null],
    [
      'another statement',
      `update app.decision_documents set ${ERASED.replace('app.erased', "'{}' || app.erased")} where record_id = $1`,
      null,
    ],
    [
      'another commitment',
      `update app.decision_documents set ${ERASED}, commitment = repeat('0', 64) where record_id = $1`,
      null,
    ],
    [
      'another owner at receipt',
      `update app.decision_documents set ${ERASED}, received = '{}' where record_id = $1`,
      null,
    ],
    ['a document that is removed', 'delete from app.decision_documents where record_id = $1', null],
    [
      'facts of the owner',
      'update app.decision_outcomes set owner_facts = app.erased_facts() where record_id = $1',
      'removed',
    ],
    ['other facts of the owner', `update app.decision_outcomes set owner_facts = '{}' where record_id = $1`, null],
    [
      'facts that everybody sees',
      `update app.decision_outcomes set owner_facts = app.erased_facts(), facts = '{}' where record_id = $1`,
      null,
    ],
    [
      'the symbol as it was sent',
      `update app.decisions set submitted_symbol = symbol || '' where record_id = $1 and submitted_symbol <> symbol`,
      'any',
    ],
    ['another symbol', `update app.decisions set submitted_symbol = 'OTHER' where record_id = $1`, null],
    ['an outcome that is removed', 'delete from app.decision_outcomes where record_id = $1', null],
  ])('%s', async (_, sql, allowed) => {
    const { record_id } = of();
    await expect(service.query(sql, [record_id])).rejects.toMatchObject(refused);
    const change = inVain(opened.owner, sql, [record_id]);
    if (allowed === name || allowed === 'any') await change;
    else await expect(change).rejects.toMatchObject(refused);
  });

  test('a publication of a workflow, and its snapshot', async () => {
    const { hash } = of();
    const drop = 'delete from app.workflow_publications where hash = $1';
    for (const sql of [drop, 'delete from app.workflow_snapshots where hash = $1'])
      await expect(service.query(sql, [hash])).rejects.toMatchObject(refused);
    await expect(
      opened.owner.query('delete from app.workflow_snapshots where hash = $1', [hash]),
    ).rejects.toMatchObject(refused);
    const dropped = inVain(opened.owner, drop, [hash]);
    if (name === 'removed') await dropped;
    else await expect(dropped).rejects.toMatchObject(refused);
  });
});

test('nobody who has an account is noted as removed, and what is noted stays', async () => {
  const insert = 'insert into app.erasures (owner_id) values ($1)';
  for (const client of [service, opened.owner])
    await expect(client.query(insert, [living.agent.owner_id])).rejects.toMatchObject(refused);
  for (const sql of [
    'delete from app.erasures where owner_id = $1',
    `update app.erasures set removed_at = app.now() + interval '1 second' where owner_id = $1`,
    'update app.erasures set owner_id = gen_random_uuid() where owner_id = $1',
    'update app.erasures set records = -1 where owner_id = $1',
  ]) {
    for (const client of [service, opened.owner])
      await expect(client.query(sql, [removed.agent.owner_id])).rejects.toMatchObject(refused);
  }
  await expect(opened.owner.query('truncate app.erasures')).rejects.toMatchObject(refused);
});

test('no statement is received without its salt', async () => {
  const copy = `insert into app.decision_documents (record_id, statement, salt, commitment, receipt, received)
    select record_id, statement, null, commitment, receipt, received from app.decision_documents where record_id = $1`;
  for (const client of [service, opened.owner])
    await expect(client.query(copy, [living.record_id])).rejects.toMatchObject(refused);
});

test('the service schedules no erasure sooner than domain/limits.ts says, and removes nobody before', async () => {
  const { owner_id } = (await party()).agent;
  const schedule = 'select app.schedule_erasure($1, $2::interval) as at';
  const sooner = service.query(schedule, [owner_id, `${ERASURE.grace - 1} milliseconds`]);
  await expect(sooner).rejects.toMatchObject(refused);
  await expect(
    service.query('update app.owners set erases_at = app.now() where owner_id = $1', [owner_id]),
  ).rejects.toMatchObject(refused);
  await expect(service.query('delete from app.owners where owner_id = $1', [owner_id])).rejects.toMatchObject(refused);
  await service.query(schedule, [owner_id, `${ERASURE.grace} milliseconds`]);
  const remove = async () => (await service.query('select app.remove_account($1) as removed', [owner_id])).rows;
  await bench.arrange().advance(ERASURE.grace - SECOND);
  expect(await remove()).toEqual([{ removed: false }]);
  await bench.arrange().advance(SECOND);
  expect(await remove()).toEqual([{ removed: true }]);
});

test('functions erase nothing of an owner who has an account', async () => {
  const { owner_id } = living.agent;
  const { rows } = await service.query('select written, state from app.erase_records($1, 10)', [owner_id]);
  expect(rows).toEqual([{ written: 0, state: 'none' }]);
  expect((await service.query('select app.erase_traces($1, 10) as traces', [owner_id])).rows).toEqual([{ traces: 0 }]);
});

/** In a transaction that is rolled back. */
async function inVain(client: pg.Client, sql: string, values: readonly unknown[]): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql, [...values]);
  } finally {
    await client.query('rollback');
  }
}
