import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { EndedEarly } from '../../scripts/child-process.ts';
import { packagedBars } from '../harness/packaged-bars.ts';
import { call, closed, newCaller, submit, VECTOR } from './calls.ts';
import { makeFolder, removeFolder, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

let folder: string;
let bars: string;
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  folder = makeFolder();
  bars = await packagedBars();
});

afterAll(async () => {
  await postgres.stop();
  removeFolder(folder);
});

test('the service refuses a database server that may lose acknowledged commits, and names every wrong setting', async () => {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined, durable: false });
  const refusal = await startService(join(folder, 'own'), { env: external('all') }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(EndedEarly);
  expect(refusal).toMatchObject({ exit: 1 });
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    expect(String(refusal)).toContain(`${name} is off`);
  }
  await postgres.stop();
});

test('a database that does not answer is one sentence on standard error, without a stack or the password', async () => {
  const env = { ...external('all'), DATABASE_URL: 'postgresql://stancebook:a-password@127.0.0.1:1/stancebook' };
  const refusal = await startService(join(folder, 'own'), { env }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    exit: 1,
    message: expect.stringMatching(
      / before it listened:\n(?: +[\d.]+ s {2}[^\n]*\n)*No PostgreSQL accepts connections at 127\.0\.0\.1:1 \(ECONNREFUSED\)\. Start [^\n]*\n?$/,
    ),
  });
});

test('a process for requests and one for jobs share a durable server, which outlives them', async () => {
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
  const api = await startService(join(folder, 'own'), { env: external('api') });
  const { api_key } = await newCaller(api, 'owner');
  const { body } = await submit(api, api_key, VECTOR);
  expect((await state(api, api_key, body.record_id)).state).toBe('awaiting_verification');
  const worker = await startService(join(folder, 'own'), { env: external('worker') });
  const { body: graded } = await closed(api, api_key, body.record_id);
  expect(graded.outcome.result_bucket).toBe('strong_correct');
  expect([await stopService(api), await stopService(worker)]).toEqual([0, 0]);
  const again = await startService(join(folder, 'own'), { env: external('all') });
  expect((await state(again, api_key, body.record_id)).outcome).toEqual(graded.outcome);
  expect(await stopService(again)).toBe(0);
});

function external(role: string): Record<string, string> {
  return {
    ROLE: role,
    DATABASE_URL: postgres.serviceUrl,
    MIGRATION_DATABASE_URL: postgres.url,
    SESSION_SECRET: 'a session secret that is only a test',
    PASSWORD_PEPPER: 'a password pepper that is only a test',
    MARKET_DATA_BARS_DIR: bars,
  };
}

async function state(service: { readonly url: string }, key: string, record_id: string) {
  return (await call(service, `/api/v1/agent/decisions/${record_id}/state`, { key })).body;
}
