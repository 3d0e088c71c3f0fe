import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { OWNERS } from '../../../../adapters/postgres/entities/owners.ts';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import { poolUse } from '../../../../adapters/postgres/kit/pool.ts';
import { freshDatabase } from '../../../harness/database.ts';

test('repositories and SQL by hand use the connections that are counted', async () => {
  const database = await freshDatabase();
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1 });
  const sql = poolSql(source);
  const release = Promise.withResolvers<void>();
  const busy = sql.atomically(async () => {
    await release.promise;
  });
  const waiting = [sql.rows('select 1'), sql.tables.findOneBy(OWNERS, { owner_id: randomUUID() })];
  await new Promise(setImmediate);
  expect(poolUse(source.pool)).toEqual({ in_use: 1, idle: 0, waiting: 2 });
  release.resolve();
  await Promise.all([busy, ...waiting]);
  await new Promise(setImmediate);
  expect(poolUse(source.pool)).toEqual({ in_use: 0, idle: 1, waiting: 0 });
  await source.destroy();
  await database.drop();
});
