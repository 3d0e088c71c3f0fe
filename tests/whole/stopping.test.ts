import type { ChildProcess } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findEmbeddedPostgres } from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { readPostmaster } from '../../infrastructure/embedded-postgres/postmaster.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call, closed, newCaller, quickSetup, submit, VECTOR } from './calls.ts';
import {
  interruptGroup,
  launchService,
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
/** Runs for the first of the ways to stop. */
let first: RunningService | undefined;

beforeAll(async () => {
  folder = makeFolder();
  dataDir = await copyPreparedData(join(folder, 'data'));
  const service = await startService(dataDir);
  first = service;
  key = (await newCaller(service, 'owner')).api_key;
  const { record_id } = (await submit(service, key, VECTOR)).body;
  await closed(service, key, record_id);
  path = `/api/v1/agent/decisions/${record_id}`;
  detail = await readDetail(service);
});

afterAll(async () => {
  await stopFirst();
  removeFolder(folder);
});

/** Where the first of the ways is not among the tests that run. */
async function stopFirst(): Promise<void> {
  if (first) await stopService(first);
  first = undefined;
}

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
    const service = first ?? (await startService(dataDir, { env }));
    first = undefined;
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

test.each(['SIGTERM', 'SIGINT'] as const)('%s in the middle of a start ends in the same order', async (signal) => {
  await stopFirst();
  const starting = launchService(dataDir, { env: { LOG_LEVEL: 'info' } });
  const output = await outputUntil(starting.child, 'Starting PostgreSQL');
  expect(await stopService(starting, signal)).toBe(0);
  expect(output()).toMatch(/"message":"Stopping".*"message":"Stopped"/s);
  expect(findEmbeddedPostgres(dataDir)).toBeNull();
});

describe('while a service runs', () => {
  let service: RunningService;
  let next: RunningService | undefined;
  beforeAll(async () => {
    await stopFirst();
    service = await startService(dataDir);
  });
  afterAll(async () => {
    expect(await stopService(next ?? service)).toBe(0);
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

  test('the database is killed: it exits with 1, and the next one has all data', async () => {
    const database = readPostmaster(realpathSync(join(dataDir, 'postgres', 'data')));
    process.kill(database?.pid ?? Number.NaN, 'SIGKILL');
    expect(await service.ended).toBe(1);
    next = await startService(dataDir);
    await holdsEverything(next);
  });
});

/** Waits for the text in what the process prints; what it has printed so far. */
function outputUntil({ stdout, stderr }: ChildProcess, text: string): Promise<() => string> {
  let output = '';
  return new Promise((resolve) => {
    const read = (piece: Buffer) => {
      output += piece;
      if (output.includes(text)) resolve(() => output);
    };
    stdout?.on('data', read);
    stderr?.on('data', read);
  });
}

/** Without the indexes of its leaves, which appear when a checkpoint with them is signed. */
async function readDetail(service: RunningService): Promise<string> {
  return (await call(service, path, { key })).text.replace(/"log":(null|\{[^{}]*\})/, '"log":null');
}

/** Everything that was acknowledged before and during the last stop is stored. */
async function holdsEverything(service: RunningService): Promise<void> {
  expect(await readDetail(service)).toBe(detail);
  expect(await rowsOf(dataDir, 'select count(*)::int from app.owners')).toEqual([{ count: owners }]);
}
