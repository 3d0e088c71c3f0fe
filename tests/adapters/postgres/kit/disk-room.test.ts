import { expect, test } from '@jest/globals';
import { openDataSource, poolSql } from '../../../../adapters/postgres/kit/data-source.ts';
import type { Sql } from '../../../../adapters/postgres/kit/sql.ts';
import { hasDiskRoom } from '../../../../adapters/postgres/kit/sql.ts';
import { DISK } from '../../../../domain/limits.ts';
import { freshDatabase } from '../../../harness/database.ts';

test('the service may try a database for room: it writes as much as it asks for, and keeps nothing', async () => {
  const database = await freshDatabase();
  const source = await openDataSource({ url: database.serviceUrl, poolSize: 1, onIdleError: () => undefined });
  const sql = poolSql(source);
  const written = async () => {
    await sql.rows('select pg_stat_force_next_flush()');
    const [row] = await sql.rows<{ bytes: number }>(
      'select temp_bytes::float8 as bytes from pg_stat_database where datname = current_database()',
    );
    return row?.bytes ?? 0;
  };
  const before = await written();
  expect(await hasDiskRoom(sql)).toBe(true);
  expect((await written()) - before).toBeGreaterThanOrEqual(DISK.probeBytes);
  expect(await sql.rows('select name from pg_ls_tmpdir()').catch(() => [])).toEqual([]);
  await source.destroy();
  await database.drop();
});

test.each([
  ['53100', false],
  ['53400', true],
])('a trial that ends with %s shows room: %s', async (code, room) => {
  expect(await hasDiskRoom(failing(code))).toBe(room);
});

test('a trial that ends with another error shows nothing', async () => {
  await expect(hasDiskRoom(failing('57P03'))).rejects.toMatchObject({ code: '57P03' });
});

function failing(code: string): Sql {
  return { atomically: () => Promise.reject(Object.assign(new Error('planned'), { code })) } as unknown as Sql;
}
