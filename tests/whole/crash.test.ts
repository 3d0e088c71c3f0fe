import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, rowsOf, startService, stopService } from './service.ts';

const LOAD = {
  LIMIT_COOLDOWN_SECONDS: '0',
  LIMIT_RETROACTIVE_PER_DAY: '100000',
  LIMIT_SUBMITS_PER_HOUR: '100000',
};
const KILLS = 3;
const SUBMITTERS = 6;

let folder: string;
let dataDir: string;
let service: RunningService;
let keys: readonly string[];
/** Idempotency key -> record id, as the service has acknowledged it. */
const acknowledged = new Map<string, string>();
/** Keys of the requests that were in flight when the service was killed; no reply says whether they were stored. */
const inFlight = new Set<string>();

beforeAll(async () => {
  folder = makeFolder();
  dataDir = await copyPreparedData(join(folder, 'data'));
  service = await startService(dataDir, { env: LOAD });
  keys = [(await newCaller(service, 'one')).api_key, (await newCaller(service, 'two')).api_key];
  for (let round = 0; round < KILLS; round++) await submitUntilKilled(round);
  service = await startService(dataDir, { env: LOAD });
  for (const key of [...inFlight]) await send(key);
  await Promise.all([...acknowledged].map(([key, record_id]) => closed(service, apiKey(key), record_id)));
});

afterAll(async () => {
  await stopService(service);
  removeFolder(folder);
});

test('the kills happened during submissions', () => {
  expect(acknowledged.size).toBeGreaterThan(KILLS * SUBMITTERS);
});

test('every acknowledged decision is stored, and no other', async () => {
  const rows = await rowsOf(dataDir, 'select record_id from app.decisions order by 1');
  expect(rows.map(({ record_id }) => record_id)).toEqual([...acknowledged.values()].toSorted());
});

test('each was graded exactly once', async () => {
  const rows = await rowsOf(dataDir, 'select record_id from app.decision_outcomes order by 1');
  expect(rows.map(({ record_id }) => record_id)).toEqual([...acknowledged.values()].toSorted());
  expect(await states()).toEqual([{ lifecycle_state: 'evaluated', count: acknowledged.size }]);
});

test('the idempotency keys, documents and retroactive quota have counted each submission once', async () => {
  const count = acknowledged.size;
  const counted = `select (select count(*) from app.idempotency)::int as keys,
    (select count(distinct record_id) from app.idempotency)::int as records,
    (select count(*) from app.decision_documents)::int as documents`;
  expect(await rowsOf(dataDir, counted)).toEqual([{ keys: count, records: count, documents: count }]);
  expect(await rowsOf(dataDir, 'select sum(used)::int as used from app.retroactive_days')).toEqual([{ used: count }]);
});

test('a key that was acknowledged before a kill still replays its record', async () => {
  for (const [key, record_id] of [...acknowledged].slice(0, 20)) {
    const { headers, body } = await submit(service, apiKey(key), bodyOf(key), key);
    expect([headers.get('idempotency-replayed'), body.record_id]).toEqual(['true', record_id]);
  }
});

test('the check notices a decision without acknowledgement', async () => {
  const { status } = await submit(service, keys[0] ?? '', bodyOf('control-0'));
  expect(status).toBe(201);
  const rows = await rowsOf(dataDir, 'select record_id from app.decisions order by 1');
  expect(rows.map(({ record_id }) => record_id)).not.toEqual([...acknowledged.values()].toSorted());
});

/** Several agents submit as fast as they can, while decisions are graded, until the service is killed. */
async function submitUntilKilled(round: number): Promise<void> {
  if (round > 0) service = await startService(dataDir, { env: LOAD });
  const alive = { until: acknowledged.size + 20 + Math.random() * 100 };
  const submitters = Array.from({ length: SUBMITTERS }, (_, n) => submitOn(alive, `${round}-${n}`));
  while (acknowledged.size < alive.until) await sleep(5);
  await sleep(Math.random() * 600);
  service.child.kill('SIGKILL');
  alive.until = 0;
  await Promise.all(submitters);
  await service.ended;
}

async function submitOn(alive: { until: number }, name: string): Promise<void> {
  for (const key of [...inFlight].filter((_, n) => n % SUBMITTERS === Number(name.at(-1)))) await send(key);
  for (let n = 0; alive.until > 0; n++) await send(`${name}-${n}`);
}

async function send(key: string): Promise<void> {
  inFlight.add(key);
  const reply = await submit(service, apiKey(key), bodyOf(key), key).catch(() => null);
  if (reply === null) return;
  if (reply.status !== 201) throw new Error(reply.text);
  if ((acknowledged.get(key) ?? reply.body.record_id) !== reply.body.record_id)
    throw new Error(`${key} has two records`);
  acknowledged.set(key, reply.body.record_id);
  inFlight.delete(key);
}

function apiKey(key: string): string {
  return keys[key.length % keys.length] ?? '';
}

function bodyOf(key: string) {
  return { ...VECTOR, horizon_value: 1 + (Number(key.at(-1)) % 9), meta: { key } };
}

function states() {
  return rowsOf(dataDir, 'select lifecycle_state, count(*)::int from app.decisions group by 1');
}
