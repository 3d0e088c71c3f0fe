import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from './harness/throwaway-folder.ts';

const ROOT = join(import.meta.dirname, '..');

const FORBIDDEN = [
  ['domain', `import { createHash } from 'node:crypto';`],
  ['domain', `import { z } from 'zod';`],
  ['domain', `import type { z } from 'zod';`],
  ['domain/decisions', `import type { Ports } from '../../application/ports.ts';`],
  ['domain/market', `export { barFiles } from '../../adapters/market/files/bar-files.ts';`],
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
] as const;

const ALLOWED = [
  ['domain/decisions', `import { DAY } from '../time.ts';`],
  ['application', `import { createHash } from 'node:crypto';`],
  ['application/decisions', `import type { Ports } from '../ports.ts';`],
  ['adapters/market', `import { calendarOf } from '../../domain/market/calendars/by-venue.ts';`],
  ['clients/typescript/verify', `import { leafOf } from '../../../domain/log/leaves/leaf.ts';`],
  ['clients/typescript/client', `import type { Settings } from './settings.ts';`],
  ['infrastructure', `import { batcher } from '../adapters/postgres/kit/batcher.ts';`],
] as const;

/** Where a folder with this source is in the project that the linter reads. */
const placeOf = (folder: string, source: string) =>
  `${folder}/planted-${[...FORBIDDEN, ...ALLOWED].findIndex(([of, held]) => of === folder && held === source)}.ts`;

let project: string;
/** The places of the forbidden imports that the linter finds. */
let found: readonly string[];

/** One run over a project that has only the rules and the planted imports. */
beforeAll(async () => {
  project = makeThrowawayFolder('layers');
  for (const file of ['biome.json', '.gitignore']) copyFileSync(join(ROOT, file), join(project, file));
  for (const [folder, source] of [...FORBIDDEN, ...ALLOWED]) {
    const file = join(project, placeOf(folder, source));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${source}\n`);
  }
  const options = ['lint', '--reporter=json', '--only=style/noRestrictedImports', '--max-diagnostics=none', '.'];
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const { stdout } = await promisify(execFile)(biome, options, { cwd: project }).catch((failed) => failed);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { location: { path: string } }[] };
  found = diagnostics.map(({ location }) => location.path);
});
afterAll(() => removeThrowawayFolder(project));

describe('the layers', () => {
  test.each(FORBIDDEN)('%s may not hold %s', (folder, source) => {
    expect(found.filter((place) => place === placeOf(folder, source))).toHaveLength(1);
  });

  test.each(ALLOWED)('%s may hold %s', (folder, source) => {
    expect(found).not.toContain(placeOf(folder, source));
  });
});
