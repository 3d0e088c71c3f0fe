import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
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

/** Evaluated records with a note. */
let living: string;
let removed: string;
let open: string;

async function noted(isRemoved: boolean): Promise<string> {
  const agent = await bench.agent();
  const { owner_id, agent_id } = agent;
  const { record_id } = await bench.accepted(agent);
  await evaluateAll(bench);
  await bench.storage().notes.add({ owner_id, agent_id, record_id, text: 'Ignored the CPI date' }, 20);
  if (isRemoved) await bench.operators().ownerAdministration.remove(owner_id);
  return record_id;
}

beforeAll(async () => {
  [living, removed] = [await noted(false), await noted(true)];
  ({ record_id: open } = await bench.accepted(await bench.agent()));
  service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
});

const refused = { code: '42501' };

describe.each(['living', 'removed'] as const)('the note of an owner who is %s', (name) => {
  test.each([
    ['is emptied', 'update app.decision_notes set text = null', true],
    ['is emptied with another time', `update app.decision_notes set text = null, written_at = app.now()`, false],
    ['is emptied with another number', 'update app.decision_notes set text = null, number = 2', false],
    ['is emptied with another owner', 'update app.decision_notes set text = null, owner_id = gen_random_uuid()', false],
    ['says something else', `update app.decision_notes set text = 'Bought it all'`, false],
    ['is removed', 'delete from app.decision_notes', name === 'removed'],
  ])('%s', async (_, sql, isAllowed) => {
    await bench.arrange().advance(1);
    await opened.owner.query('begin');
    const change = opened.owner.query(`${sql} where record_id = $1`, [name === 'living' ? living : removed]);
    if (isAllowed) expect((await change).rowCount).toBe(1);
    else await expect(change).rejects.toMatchObject(refused);
    await opened.owner.query('rollback');
  });
});

test('the service empties notes, and can change nothing else of them', async () => {
  for (const change of [`update app.decision_notes set text = 'x'`, 'update app.decision_notes set number = 2'])
    await expect(service.query(change)).rejects.toMatchObject(refused);
  for (const change of ['delete from app.decision_notes', 'truncate app.decision_notes'])
    await expect(service.query(change)).rejects.toMatchObject(refused);
  await expect(opened.owner.query('truncate app.decision_notes')).rejects.toMatchObject(refused);
});

test('a note is of an evaluated record, its owner and its agent, also by hand', async () => {
  const add = (record: string, owner: string, agent: string) =>
    service.query(
      `insert into app.decision_notes (record_id, number, owner_id, agent_id, text, written_at)
      select record_id, 2, ${owner}, ${agent}, 'by hand', app.now() from app.decisions where record_id = $1`,
      [record],
    );
  await expect(add(open, 'owner_id', 'agent_id')).rejects.toMatchObject(refused);
  await expect(add(living, 'gen_random_uuid()', 'agent_id')).rejects.toMatchObject(refused);
  await expect(add(living, 'owner_id', `'agt_000000000000'`)).rejects.toMatchObject(refused);
  expect((await add(living, 'owner_id', 'agent_id')).rowCount).toBe(1);
});
