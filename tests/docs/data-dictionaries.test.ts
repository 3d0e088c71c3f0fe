import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DATASET_COLUMNS } from '../../domain/datasets/dataset-row.ts';
import { OWN_DECISION_COLUMNS } from '../../domain/decisions/own/own-columns.ts';
import { dictionaryOf, type TableColumn } from '../../domain/table.ts';

const DICTIONARIES: readonly (readonly [page: string, columns: readonly Omit<TableColumn<never>, 'of'>[]])[] = [
  ['export-columns.md', OWN_DECISION_COLUMNS],
  ['snapshots.md', DATASET_COLUMNS],
];

test.each(DICTIONARIES)('docs/%s has the columns as they are written', (page, columns) => {
  const text = readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
  expect(text).toContain(dictionaryOf(columns));
  const names = columns.map(({ name }) => name);
  expect([new Set(names).size, names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))]).toEqual([names.length, []]);
});
