import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isOnline, MIGRATIONS } from '../../../../adapters/postgres/migrations/migration-files.ts';

const FOLDER = join(import.meta.dirname, '../../../../adapters/postgres/migrations');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));

describe('migrations are frozen', () => {
  test('every file is as migrations.lock has it: add a new migration, never edit one', () => {
    const sums = files.map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(FOLDER, file)))
          .digest('hex')}  ${file}`,
    );
    expect(readFileSync(join(FOLDER, 'migrations.lock'), 'utf8').trim().split('\n')).toEqual(sums);
  });

  test('no two have one number', () => {
    const numbers = files.map((file) => Number(file.slice(0, 4)));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  test('databases know those of 0.4.0 and before by the names that they had as classes', () => {
    expect(MIGRATIONS.slice(0, 16).map(({ name }) => name)).toEqual([
      'First1763700000000',
      'MarketEvidence1763700000001',
      'OperatorsMarketData1763700000002',
      'Cohorts1763700000003',
      'OwnerLists1763700000004',
      'Keys1763700000005',
      'Identity1763700000006',
      'DeviceFlow1763700000007',
      'Accounts1763700000008',
      'Limits1763700000009',
      'Circuits1763700000010',
      'Workflows1763700000011',
      'Graph1763700000012',
      'Atlas1763700000013',
      'Timelines1763700000014',
      'AtlasOrigins1763700000015',
    ]);
  });
});

describe('an index on a table of an earlier migration', () => {
  const since = MIGRATIONS.slice(33);
  const indexes = /create (?:unique )?index( concurrently)?(?: (?!on)(\w+))? on app\.(\w+)/g;

  test('is built online: submissions and grades do not wait', () => {
    const blocking = since.flatMap(({ name, sql }) =>
      [...sql.matchAll(indexes)].flatMap(([statement, concurrently, , table]) =>
        concurrently || new RegExp(`create (unlogged )?table app\\.${table}\\b`).test(sql) ? [] : [name, statement],
      ),
    );
    expect(blocking).toEqual([]);
  });

  test('is dropped before, so that a migration that failed can run again', () => {
    const online = since.filter(isOnline);
    expect(online.length).toBeGreaterThan(0);
    for (const { sql } of online) {
      for (const [statement, , index] of sql.matchAll(indexes)) {
        expect(sql).toContain(`drop index concurrently if exists app.${index};\n${statement}`);
      }
    }
  });
});
