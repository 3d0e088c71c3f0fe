import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LAYERS = ['domain', 'application', 'adapters', 'infrastructure'];

/** The browser's page is a program of its own, with types of the wire that are named like those of the domain. */
const PAGE = 'adapters/http/page/browser/';

const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

describe('the exported types', () => {
  test('have distinct names', () => {
    const sources = new Map(LAYERS.flatMap(filesBelow).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
    expect(namesUsedTwice(sources)).toEqual([]);
    expect(sources.size).toBeGreaterThan(500);
  });

  test.each([
    ['interfaces', 'export interface Draft {\n  readonly name: string;\n}\n'],
    ['generic interfaces', 'export interface Draft<T> extends Base<T> {}\n'],
    ['type aliases', 'export type Draft = (typeof DRAFTS)[number];\n'],
    ['classes', 'export class Draft extends Error {}\n'],
    ['abstract classes', 'export abstract class Draft {}\n'],
  ])('a name that is used twice is found among %s', (_, source) => {
    const planted = new Map([
      ['domain/a.ts', `import type { Base } from './base.ts';\n\n${source}`],
      ['adapters/b.ts', 'export interface Draft {}\nexport interface Drafts {}\n'],
    ]);
    expect(namesUsedTwice(planted)).toEqual(['Draft: domain/a.ts, adapters/b.ts']);
  });

  test('a type that a file keeps to itself, or passes on, is not a second one', () => {
    const planted = new Map([
      ['domain/a.ts', 'export interface Draft {}\n'],
      ['domain/b.ts', 'interface Draft {}\n'],
      ['domain/c.ts', "export type { Draft } from './a.ts';\n"],
    ]);
    expect(namesUsedTwice(planted)).toEqual([]);
  });
});

// One leaf is counted too.
test('leaves are counted by one function', () => {
  const sources = [...LAYERS, 'clients/typescript'].flatMap(filesBelow);
  const literal = sources.filter((file) =>
    /\$\{(?!MOST_)[^}]*\} leaves\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(literal).toEqual([]);
});

function namesUsedTwice(sources: ReadonlyMap<string, string>): readonly string[] {
  const exported = [...sources].flatMap(([file, source]) =>
    Array.from(source.matchAll(EXPORTED_TYPE), ([, name = '']) => ({ name, file })),
  );
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /(?<!\.d)\.ts$/.test(path) && !path.startsWith(PAGE));
}
