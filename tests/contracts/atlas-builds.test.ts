import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Atlas } from '../../domain/atlas/atlas-store.ts';
import { byScope } from '../../domain/atlas/atlas-survey.ts';
import { type OpenedDatabase, onPostgres } from './decisions/adapters.ts';

const EMPTY: Atlas = {
  records: 0,
  thresholds: { minProducers: 5, minSamples: 10, ownerProof: 'none' },
  views: byScope(() => ({ network: { nodes: [], edges: [] }, seeds: [] })),
};

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(4);
});
afterAll(() => opened.close());

test('while one builds another does not, and one whose connection is lost leaves nothing behind', async () => {
  const { atlas } = opened.storage;
  await atlas.build(async () => EMPTY);
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = atlas.build(async () => {
    begun.resolve();
    await go.promise;
    return { ...EMPTY, records: 7 };
  });
  await begun.promise;
  expect(await atlas.build(() => Promise.reject(new Error('Two build at once.')))).toBe(false);
  const service = new pg.Client({ connectionString: opened.serviceUrl });
  await service.connect();
  await service.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())`,
  );
  await service.end();
  go.resolve();
  await expect(first).rejects.toThrow();
  expect((await atlas.state()).built?.records).toBe(0);
  expect(await atlas.build(async () => ({ ...EMPTY, records: 8 }))).toBe(true);
  expect((await atlas.state()).built?.records).toBe(8);
});

test('who asks for another one while one is built gets another one, and neither waits for the other', async () => {
  const { atlas } = opened.storage;
  let calls = 0;
  const built = await atlas.build(async () => {
    calls += 1;
    await atlas.expire();
    return { ...EMPTY, records: 9 };
  });
  expect([built, calls, (await atlas.state()).built]).toMatchObject([true, 1, { records: 9, expired: true }]);
  await atlas.build(async () => EMPTY);
  expect((await atlas.state()).built?.expired).toBe(false);
});
