import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const planted = new Set<string>();

afterAll(() => Promise.all([...planted].map((file) => rm(file, { force: true }))));

/** Where the linter finds a forbidden import when `source` stands in that folder. */
async function violations(folder: string, source: string): Promise<number> {
  const file = join(root, folder, `planted-violation-${planted.size}.ts`);
  if (existsSync(file)) throw new Error(`${file} is in the way`);
  planted.add(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, source);
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const options = ['lint', '--reporter=json', '--only=style/noRestrictedImports', file];
  const { stdout } = await promisify(execFile)(biome, options, { cwd: root }).catch((failed) => failed);
  await rm(file);
  return JSON.parse(stdout).diagnostics.length;
}

describe('the layers', () => {
  test.each([
    ['domain', `import { createHash } from 'node:crypto';`],
    ['domain', `import { z } from 'zod';`],
    ['domain', `import type { z } from 'zod';`],
    ['domain/decisions', `import type { Ports } from '../../application/ports.ts';`],
    ['domain/market', `export { barFiles } from '../../adapters/market/bar-files.ts';`],
    ['application', `import { readFile } from 'node:fs/promises';`],
    ['application', `import pg from 'pg';`],
    ['application/decisions', `import { batcher } from '../../adapters/postgres/batcher.ts';`],
    ['adapters/http', `import type { Config } from '../../infrastructure/config.ts';`],
    ['adapters/http/routes/agent', `import { batcher } from '../../../postgres/batcher.ts';`],
    ['adapters/memory', `import type { Sql } from '../postgres/sql.ts';`],
    ['infrastructure', `import { openMemory } from '../adapters/memory/storage.ts';`],
    ['clients/typescript/verify', `import { readFileSync } from 'node:fs';`],
    ['clients/typescript/verify', `import { sha256 } from '../../../application/sha256.ts';`],
    ['clients/typescript/client', `import { randomUUID } from 'node:crypto';`],
    ['clients/typescript/client', `import { SECOND } from '../../../domain/time.ts';`],
    ['adapters/jobs', `import { barFiles } from '../market/bar-files.ts';`],
    ['adapters/outgoing', `import type { Sql } from '../postgres/sql.ts';`],
    ['adapters/http', `import { exchange } from '../outgoing/exchange.ts';`],
  ])('%s may not hold %s', async (folder, source) => {
    expect(await violations(folder, `${source}\n`)).toBe(1);
  });

  test.each([
    ['domain/decisions', `import { DAY } from '../time.ts';`],
    ['application', `import { createHash } from 'node:crypto';`],
    ['application/decisions', `import type { Ports } from '../ports.ts';`],
    ['adapters/market', `import { calendarOf } from '../../domain/market/calendars/by-venue.ts';`],
    ['clients/typescript/verify', `import { leafOf } from '../../../domain/log/leaf.ts';`],
    ['clients/typescript/client', `import type { Settings } from './settings.ts';`],
    ['infrastructure', `import { batcher } from '../adapters/postgres/kit/batcher.ts';`],
  ])('%s may hold %s', async (folder, source) => {
    expect(await violations(folder, `${source}\n`)).toBe(0);
  });
});
