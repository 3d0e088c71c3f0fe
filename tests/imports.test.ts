import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Imports, importsOf, sourcesOf } from '../scripts/architecture/drawing.ts';

const LAYERS = ['domain', 'application', 'adapters', 'infrastructure', 'clients', 'scripts', 'tests'];

/** The rooms of the domain from the ground up: each may import itself and those before it. `.` holds the files of no room. */
const ROOMS = [
  ...['.', 'decisions/call.ts', 'market', 'circuits', 'grading', 'decisions', 'log'],
  ...['cohorts', 'backtests', 'recall', 'plans', 'workflows', 'atlas'],
  ...['accounts', 'mail', 'quotas', 'events', 'webhooks', 'datasets'],
];

const sources = sourcesOf(LAYERS);
const imports = importsOf(sources);

/** Declarations, also of a script for Node.js 20; and what `npm run contract` generates next to its clients, which compiles them with it. */
const isGenerated = (file: string) =>
  file.endsWith('.d.ts') ||
  sources.has(file.replace(/\.mjs$/, '.d.mts')) ||
  file.startsWith('tests/campaigns/contract/client/');

describe('the imports', () => {
  test('form no circle', () => {
    expect(circlesOf(imports)).toEqual([]);
  });

  test('are all found: each names a file of the tree, or one that is generated', () => {
    const unknown = [...imports].flatMap(([file, to]) =>
      to.filter((each) => !sources.has(each) && !isGenerated(each)).map((each) => [file, each]),
    );
    expect(unknown).toEqual([]);
    expect([...imports.values()].flat().length).toBeGreaterThan(sources.size);
  });

  test('of the domain follow the order of its rooms', () => {
    const upwards = [...imports].flatMap(([file, to]) =>
      to.filter((each) => levelOf(each) > levelOf(file)).map((each) => `${file} imports ${each}`),
    );
    expect(upwards).toEqual([]);
  });

  test('form no circle of rooms that stand next to each other in the domain', () => {
    expect(circlesOf(betweenRooms(imports))).toEqual([]);
  });

  test('of a campaign stay in its folder, the stage, the harness and the sources', () => {
    const others = [...imports].flatMap(([file, to]) =>
      to.filter((each) => !isOpenTo(file, each)).map((each) => `${file} imports ${each}`),
    );
    expect(others).toEqual([]);
  });

  test('use every value that a file exports, but those of the clients, which others import', () => {
    expect(unusedExports(new Map([...sources, ...harnessScripts()]))).toEqual([]);
  });

  test('an export that only its own file uses is found', () => {
    const planted = new Map([
      ['domain/a.ts', 'export const A = 1;\nexport const B = A;\nexport function c() {}\nexport interface D {}\n'],
      ['domain/b.ts', "import { B } from './a.ts';\nconst A = B;\n"],
      ['clients/e.ts', 'export const E = 1;\n'],
    ]);
    expect(unusedExports(planted)).toEqual(['domain/a.ts: c']);
  });

  test.each([
    ['values', `import { b } from <b>;`],
    ['types over several lines', `import {\n  type B,\n  type C,\n} from <b>;`],
    ['what is passed on', `export type { B } from <b>;`],
    ['a module for its effects', `import <b>;`],
    ['a module that is loaded later', `const later = () => import(<b>);`],
  ])('a planted circle is found: %s', (_, source) => {
    const planted = new Map([
      ['domain/a.ts', source.replace('<b>', "'./b.ts'")],
      ['domain/b.ts', `import type { C } from './market/c.ts';\n`],
      ['domain/market/c.ts', `import { a } from '../a.ts';\n`],
      ['domain/d.ts', `import { a } from './a.ts';\n`],
    ]);
    expect(circlesOf(importsOf(planted))).toEqual([['domain/a.ts', 'domain/b.ts', 'domain/market/c.ts']]);
  });

  test('an import from another campaign, or of tests by scripts, is found', () => {
    expect(isOpenTo('tests/campaigns/races.ts', 'tests/campaigns/bench/stage.ts')).toBe(false);
    expect(isOpenTo('tests/campaigns/stage/tally.ts', 'tests/campaigns/bench/stage.ts')).toBe(false);
    expect(isOpenTo('tests/campaigns/races/plan.ts', 'tests/contracts/adapters.ts')).toBe(false);
    expect(isOpenTo('scripts/demo.ts', 'tests/harness/files.ts')).toBe(false);
    expect(isOpenTo('tests/campaigns/races.ts', 'tests/campaigns/races/plan.ts')).toBe(true);
  });

  test('a planted circle of rooms is found', () => {
    const planted = new Map([
      ['domain/a/b/c.ts', `import '../d/e.ts';\n`],
      ['domain/a/d/e.ts', ''],
      ['domain/a/d/f.ts', `import '../b/g.ts';\nimport '../h.ts';\n`],
      ['domain/a/b/g.ts', ''],
      ['domain/a/h.ts', `import './b/c.ts';\n`],
    ]);
    expect(circlesOf(betweenRooms(importsOf(planted)))).toEqual([['domain/a/b', 'domain/a/d']]);
  });

  test('an import upwards is found', () => {
    expect(levelOf('domain/decisions/decision.ts')).toBeGreaterThan(levelOf('domain/grading/method.ts'));
    expect(levelOf('domain/decisions/call.ts')).toBeLessThan(levelOf('domain/market/bars.ts'));
    expect(() => levelOf('domain/elsewhere/thing.ts')).toThrow('domain/elsewhere/thing.ts');
  });
});

/** What jest itself loads of the harness. */
function harnessScripts(): readonly (readonly [string, string])[] {
  const folder = join(import.meta.dirname, 'harness');
  const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  return names.map((name) => [`tests/harness/${name}`, readFileSync(join(folder, name), 'utf8')]);
}

/** Exported constants, functions and classes that no other file names. */
function unusedExports(files: ReadonlyMap<string, string>): string[] {
  const named = new Map<string, number>();
  for (const source of files.values()) {
    for (const word of new Set(source.match(/\w+/g))) named.set(word, (named.get(word) ?? 0) + 1);
  }
  return [...files].flatMap(([file, source]) => {
    if (file.startsWith('clients/')) return [];
    const exported = source.matchAll(/^export (?:abstract |async )*(?:const|function\*?|class) (\w+)/gm);
    return [...exported].flatMap(([, name = '']) => (named.get(name) === 1 ? [`${file}: ${name}`] : []));
  });
}

/** The rooms of the domain within one of its rooms, with those next to them that they import. */
function betweenRooms(all: Imports): Imports {
  const rooms = new Map<string, string[]>();
  for (const [file, to] of all) {
    const room = roomWithin(file);
    if (!room) continue;
    const others = to.map(roomWithin).filter((each) => each !== room && each !== null && isBeside(each, room));
    rooms.set(room, [...(rooms.get(room) ?? []), ...others.filter((each) => each !== null)]);
  }
  return rooms;
}

function roomWithin(file: string): string | null {
  return file.match(/^domain\/[^/]+\/[^/]+(?=\/)/)?.[0] ?? null;
}

function isBeside(room: string, other: string): boolean {
  return dirname(room) === dirname(other);
}

/** The groups of files that reach each other, each sorted. */
function circlesOf(all: Imports): string[][] {
  const reach = new Map([...all.keys()].map((file) => [file, reachedFrom(file, all)]));
  const inCircle = [...all.keys()].filter((file) => reach.get(file)?.has(file)).sort();
  const groupOf = (file: string) =>
    inCircle.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file));
  return [...new Map(inCircle.map((file) => groupOf(file)).map((group) => [group.join(), group])).values()];
}

function reachedFrom(file: string, all: Imports): Set<string> {
  const reached = new Set<string>();
  const next = [...(all.get(file) ?? [])];
  for (let each = next.pop(); each !== undefined; each = next.pop()) {
    if (reached.has(each)) continue;
    reached.add(each);
    next.push(...(all.get(each) ?? []));
  }
  return reached;
}

/** Where in `ROOMS` a file of the domain is; the other layers are above all of it, and the linter holds their order. */
function levelOf(file: string): number {
  const [layer, ...path] = file.split('/');
  if (layer !== 'domain') return ROOMS.length;
  const inner = path.join('/');
  const room = path.length === 1 ? '.' : ROOMS.includes(inner) ? inner : path[0];
  const level = ROOMS.indexOf(room ?? '');
  if (level === -1) throw new Error(`${file} is in no room of the domain that has a place in the order.`);
  return level;
}

/** Whether a file may import another, as far as scripts and campaigns are concerned: the linter orders the layers. */
function isOpenTo(file: string, other: string): boolean {
  if (!other.startsWith('tests/')) return true;
  if (file.startsWith('scripts/')) return false;
  const [, campaign] = /^tests\/campaigns\/([^/.]+)/.exec(file) ?? [];
  if (campaign === undefined) return true;
  return ['harness', 'campaigns/stage', `campaigns/${campaign}`].some((folder) => other.startsWith(`tests/${folder}/`));
}
