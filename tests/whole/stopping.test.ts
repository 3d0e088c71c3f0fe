import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { readPostmaster } from '../../infrastructure/embedded-postgres/postmaster.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call, closed, newCaller, quickSetup, submit, VECTOR } from './calls.ts';
import {
  interruptGroup,
  makeFolder,
  type RunningService,
  removeFolder,
  rowsOf,
  startService,
  stopService,
} from './service.ts';

const REQUESTS = 4;

let folder: string;
let dataDir: string;
let key: string;
let path: string;
let detail: string;
let owners = 1;

beforeAll(async () => {
  folder = makeFolder();
  dataDir = await copyPreparedData(join(folder, 'data'));
  const service = await startService(dataDir);
  key = (await newCaller(service, 'owner')).api_key;
  const { record_id } = (await submit(service, key, VECTOR)).body;
  await closed(service, key, record_id);
  path = `/api/v1/agent/decisions/${record_id}`;
  detail = await readDetail(service);
  await stopService(service);
});

afterAll(() => removeFolder(folder));

const ways = [
  { name: 'SIGTERM', stop: (service: RunningService) => stopService(service), env: {} },
  { name: 'Ctrl-C', stop: interruptGroup, env: {} },
  {
    name: 'SIGTERM with two API processes',
    stop: (service: RunningService) => stopService(service),
    env: { WORKERS: '2' },
  },
  { name: 'Ctrl-C with two API processes', stop: interruptGroup, env: { WORKERS: '2' } },
];

describe.each(ways)('$name', ({ name, stop, env }) => {
  test('answers the requests in flight, exits with 0 and stops the database', async () => {
    const service = await startService(dataDir, { env });
    await holdsEverything(service);
    // Passwords are hashed two at a time, so the others are in progress when the first is answered.
    const requests = Array.from({ length: REQUESTS }, (_, n) =>
      quickSetup(service, `${name.replaceAll(' ', '-')}-${n}`),
    );
    await Promise.race(requests);
    expect(await stop(service)).toBe(0);
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(requests.map(() => 201));
    expect(findEmbeddedPostgres(dataDir)).toBeNull();
    owners += REQUESTS;
  });
});

describe('while a service runs', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(dataDir);
  });
  afterAll(async () => {
    expect(await stopService(service)).toBe(0);
  });

  test('a second instance on the same folder is refused in one sentence, and the first keeps working', async () => {
    await expect(startService(dataDir)).rejects.toMatchObject({
      exit: 1,
      message: expect.stringMatching(
        / before it listened:\n(?: +[\d.]+ s {2}[^\n]*\n)*Another instance \(pid \d+\) is running on [^\n]*\n?$/,
      ),
    });
    await holdsEverything(service);
  });

  test('a second instance on a port that is taken is refused in one sentence, before anything of it runs', async () => {
    const { port } = new URL(service.url);
    const taken = new RegExp(
      ` before it listened:\\n(?: +[\\d.]+ s {2}[^\\n]*\\n)*The port ${port} is taken\\. Stop what uses it[^\\n]*\\n?$`,
    );
    for (const env of [{ PORT: port }, { METRICS_PORT: port }, { PORT: port, WORKERS: '2' }]) {
      const elsewhere = join(folder, 'elsewhere');
      await expect(startService(elsewhere, { env: { ...env, LOG_LEVEL: 'info' } })).rejects.toMatchObject({
        exit: 1,
        message: expect.stringMatching(taken),
      });
      expect(existsSync(join(elsewhere, 'postgres'))).toBe(false);
    }
  });
});

test('a service whose database is killed exits with 1, and the next one has all data', async () => {
  const service = await startService(dataDir);
  const database = readPostmaster(realpathSync(join(dataDir, 'postgres', 'data')));
  process.kill(database?.pid ?? Number.NaN, 'SIGKILL');
  expect(await service.ended).toBe(1);
  const next = await startService(dataDir);
  await holdsEverything(next);
  expect(await stopService(next)).toBe(0);
});

/** Without the indexes of its leaves, which appear when a checkpoint with them is signed. */
async function readDetail(service: RunningService): Promise<string> {
  return (await call(service, path, { key })).text.replace(/"log":(null|\{[^{}]*\})/, '"log":null');
}

/** Everything that was acknowledged before and during the last stop is stored. */
async function holdsEverything(service: RunningService): Promise<void> {
  expect(await readDetail(service)).toBe(detail);
  expect(await rowsOf(dataDir, 'select count(*)::int from app.owners')).toEqual([{ count: owners }]);
}
