import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { DatasetFile, DatasetStore } from '../../domain/datasets/dataset-row.ts';
import { race } from './adapters.ts';
import { type OpenedDatabase, onPostgres } from './decisions/adapters.ts';

const FILE: DatasetFile = { name: 'decisions.jsonl', bytes: 4, sha256: '0f'.repeat(32) };

let opened: OpenedDatabase;
beforeAll(async () => {
  opened = await onPostgres(6);
});
afterAll(() => opened.close());

/** How often the records are read for one month, by processes that make its dataset at once. */
async function readings(store: Pick<DatasetStore, 'make'>, month: string): Promise<number> {
  let read = 0;
  const work = async () => {
    read += 1;
    return [];
  };
  await race(6, () => store.make(month, work).catch(() => false));
  return read;
}

describe('of processes that make the same dataset', () => {
  test('one reads the records, and one that looks first and then makes it would not be alone', async () => {
    const { datasets } = opened.storage;
    expect(await readings(datasets, '2026-01')).toBe(1);
    const careless: Pick<DatasetStore, 'make'> = {
      async make(month, work) {
        if (await datasets.find(month)) return false;
        const nothing = { instruments: async () => [], cohorts: async () => [] };
        const files = await work(
          nothing,
          async () => undefined,
          async () => null,
        );
        return datasets.make(month, async () => files);
      },
    };
    expect(await readings(careless, '2026-02')).toBeGreaterThan(1);
  });

  test('another does not wait, and one whose connection is lost leaves nothing behind', async () => {
    const { datasets } = opened.storage;
    const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = datasets.make('2026-03', async (_, write) => {
      await write(FILE.name, Buffer.from('half'));
      begun.resolve();
      await go.promise;
      return [FILE];
    });
    await begun.promise;
    expect(await datasets.make('2026-03', () => Promise.reject(new Error('Two make it at once.')))).toBe(false);
    const service = new pg.Client({ connectionString: opened.serviceUrl });
    await service.connect();
    await service.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`,
    );
    await service.end();
    go.resolve();
    await expect(first).rejects.toThrow();
    expect([await datasets.find('2026-03'), await datasets.part('2026-03', FILE.name, 0)]).toEqual([null, null]);
    expect(await datasets.make('2026-03', async () => [FILE])).toBe(true);
  });

  test('nobody changes or removes one, not even the owner of the schema', async () => {
    const owner = new pg.Client({ connectionString: opened.url });
    await owner.connect();
    for (const table of ['datasets', 'dataset_files'])
      for (const change of [`delete from app.${table}`, `update app.${table} set month = '2020-01'`])
        await expect(owner.query(change)).rejects.toThrow();
    await owner.end();
  });
});
