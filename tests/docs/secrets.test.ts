import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SECRET_NAMES } from '../../infrastructure/config/secret-files.ts';
import { inventoryTable, SECRET_INVENTORY } from '../../infrastructure/config/secret-inventory.ts';

test('the inventory has every variable of a secret, each once', () => {
  const names = SECRET_INVENTORY.map(({ name }) => name);
  expect(SECRET_NAMES.filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(SECRET_NAMES.length).toBeGreaterThan(10);
});

test('docs/secrets.md has the inventory (else: node scripts/write-configuration.ts)', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/secrets.md'), 'utf8')).toContain(inventoryTable());
});
