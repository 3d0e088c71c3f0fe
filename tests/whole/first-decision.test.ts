import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Caller, call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, rowsOf, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

let folder: string;
let service: RunningService;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  folder = makeFolder();
  service = await startService(join(folder, 'data'));
  owner = await newCaller(service, 'owner');
  stranger = await newCaller(service, 'stranger');
});

afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('a first decision is accepted and graded by the rules of the method', async () => {
  const taken = await submit(service, owner.api_key, VECTOR, 'first');
  expect(taken.status).toBe(201);
  expect(taken.body).toMatchObject({ submission_origin: 'retroactive', retroactive: true });
  const { body } = await closed(service, owner.api_key, taken.body.record_id);
  expect(body.outcome).toMatchObject({ result_bucket: 'strong_correct', bar_size: '1d', method: 'eval/3' });
  expect(body.outcome.tau).toBeCloseTo(4.688066, 6);
  expect(body.outcome.entry.price).toBe(46.41);
  expect(body.outcome.exit.price).toBe(24.14);
  expect(body.outcome.z).toBeCloseTo(0.762872, 6);
  expect(body.outcome.bars).toHaveLength(5);
  expect(body.outcome.levels.first_touch).toMatchObject({ kind: 'target', price: 49, fill_price: 49.24 });
});

test('the same idempotency key replays the reply, and another body with it is refused', async () => {
  const first = await submit(service, owner.api_key, VECTOR, 'first');
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBe('true');
  const again = await submit(service, owner.api_key, VECTOR, '"first"');
  expect(again.text).toBe(first.text);
  const other = await submit(service, owner.api_key, { ...VECTOR, horizon_value: 6 }, 'first');
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
});

test('the reply to a bad body names every fault at once, and nothing is stored', async () => {
  const before = await contents();
  const { venue: _, ...incomplete } = VECTOR;
  const shape = await submit(service, owner.api_key, { ...incomplete, mood: 'good', horizon_value: 'five' }, 'bad');
  expect([shape.status, paths(shape.body)]).toEqual([400, ['horizon_value', 'mood', 'venue']]);
  const values = { ...VECTOR, direction: 'up', horizon_value: 5_000, data_cutoff: '2099-01-01T00:00:00Z' };
  const refused = await submit(service, owner.api_key, values, 'bad');
  expect([refused.status, paths(refused.body)]).toEqual([422, ['data_cutoff', 'direction', 'horizon_value']]);
  expect(await contents()).toEqual(before);
});

test('validate_only answers as a submit would and stores nothing', async () => {
  const before = await contents();
  const reply = await call(service, '/api/v1/agent/decisions?validate_only=true', {
    key: owner.api_key,
    headers: { 'idempotency-key': 'previewed' },
    body: { ...VECTOR, direction: 'bearish' },
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject({ valid: true, cooldown: { active: false } });
  expect(await contents()).toEqual(before);
});

test('others see a record once it is graded, and nothing of its owner', async () => {
  const { record_id } = (await submit(service, owner.api_key, VECTOR, 'first')).body;
  await closed(service, owner.api_key, record_id);
  const key = stranger.api_key;
  const replies = [
    await call(service, `/api/v1/agent/decisions/${record_id}`, { key }),
    await call(service, `/api/v1/agent/decisions/${record_id}/state`, { key }),
    await call(service, '/api/v1/agent/decisions/batch', { key, body: { record_ids: [record_id] } }),
    await call(service, `/api/v1/public/decisions/${record_id}`),
    await call(service, `/api/v1/public/decisions/${record_id}/state`),
  ];
  for (const { status, text, headers } of replies) {
    expect(status).toBe(200);
    expect(text).toContain('strong_correct');
    const all = `${text} ${JSON.stringify([...headers])}`;
    for (const word of hidden(owner)) expect(all).not.toContain(word);
  }
});

test('a record that is still open does not exist for others', async () => {
  const open = { ...VECTOR, symbol: 'TXN', data_cutoff: new Date().toISOString(), horizon_value: 20 };
  const { status, body } = await submit(service, owner.api_key, open);
  expect(status).toBe(201);
  const path = `/api/v1/agent/decisions/${body.record_id}`;
  expect((await call(service, path, { key: owner.api_key })).status).toBe(200);
  for (const each of [path, `${path}/state`, path.replace('agent', 'public')]) {
    const { status, text } = await call(service, each, { key: stranger.api_key });
    expect(status).toBe(404);
    for (const word of hidden(owner)) expect(text).not.toContain(word);
  }
});

/** The names and values that only the owner may get in a reply. */
function hidden({ owner_id, agent_id, email, api_key, key_prefix }: Caller): string[] {
  const names = [
    'owner_id',
    'agent_id',
    'email',
    'price_targets',
    'levels',
    'wire service',
    '"bars"',
    'commitment_opening',
  ];
  return [...names, owner_id, agent_id, email, api_key, key_prefix];
}

function paths({ error }: { readonly error: { readonly details: readonly { readonly path: string }[] } }): string[] {
  return error.details.map(({ path }) => path).toSorted();
}

/** The row counts of all tables that a submission could change. */
function contents() {
  const tables = [
    'decisions',
    'decision_documents',
    'idempotency',
    'cooldowns',
    'agent_submissions',
    'retroactive_days',
  ];
  const counts = tables.map((table) => `(select count(*) from app.${table}) as ${table}`);
  const used = '(select coalesce(sum(used), 0) from app.retroactive_days) as used';
  return rowsOf(service.dataDir, `select ${[...counts, used].join(', ')}`);
}
