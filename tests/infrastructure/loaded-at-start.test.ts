import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** An import that loads: neither one of types alone, nor one inside of a function. */
const LOADING = /^(?:import|export) (?!type\b)(?:[^;']*? from )?'([^']+)'/gm;

/** The packages that a module loads at once, also by the modules that it imports. */
function packagesAtOnce(file: string, seen = new Set<string>()): ReadonlySet<string> {
  const found = new Set<string>();
  if (seen.has(file)) return found;
  seen.add(file);
  for (const [, name = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(LOADING)) {
    if (name.startsWith('node:')) continue;
    const below = name.startsWith('.') ? packagesAtOnce(join(dirname(file), name), seen) : [packageOf(name)];
    for (const each of below) found.add(each);
  }
  return found;
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

test('the service loads what few processes need when it is needed', () => {
  const loaded = packagesAtOnce('infrastructure/service.ts');
  expect([...loaded]).toEqual(expect.arrayContaining(['express', 'pg-boss', 'typeorm', 'zod']));
  const later = ['nodemailer', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common', '@modelcontextprotocol/server', 'ajv'];
  const further = ['hyparquet', 'hyparquet-writer', '@simplewebauthn/server', '@opentelemetry/sdk-trace'];
  expect([...later, ...further].filter((name) => loaded.has(name))).toEqual([]);
});

test('little is loaded before PostgreSQL starts', () => {
  const loaded = packagesAtOnce('infrastructure/main.ts');
  expect([...loaded]).toEqual(expect.arrayContaining(['pg', 'winston']));
  expect(['express', 'pg-boss', 'typeorm', 'csv-parse'].filter((name) => loaded.has(name))).toEqual([]);
});
