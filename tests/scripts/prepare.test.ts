import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const SCRIPTS = join(import.meta.dirname, '../../scripts');
const PLATFORM = `node-${process.platform}-${process.arch}`;
const PINNED = join('scripts/runtime/node_modules', PLATFORM, 'bin/node');
const LOCK = 'package-lock.json';
const LIST = 'node_modules/.package-lock.json';

interface Package {
  readonly version: string;
  readonly dev?: true;
  readonly optional?: true;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}
const SERVED: Package = { version: '1.0.0' };
const TOOL: Package = { version: '1.0.0', dev: true };
const ELSEWHERE: Package = { version: '1.0.0', optional: true, os: ['elsewhere'], cpu: ['any'] };
const OF_ELSEWHERE: Package = { version: '1.0.0', optional: true };
const HERE: Package = { ...ELSEWHERE, os: [process.platform], cpu: [process.arch] };
const ALL = { served: SERVED, tool: TOOL, elsewhere: ELSEWHERE, of_elsewhere: OF_ELSEWHERE };

const FOLDERS = [
  ...['node_modules/.bin', 'scripts/prices/node_modules', 'scripts/client-types/node_modules', 'bin'],
  ...['adapters/http', 'application', 'domain', 'clients/typescript/client'],
];
const WRITTEN = 'client-types/written-types.mjs';
/** Writes as the program of the project does, from sources that are almost nothing. */
const WRITER = `
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_TYPES, headOf } from "./${WRITTEN}";
const root = join(import.meta.dirname, '..');
writeFileSync(join(root, CLIENT_TYPES), headOf(root) + 'export type Nothing = never;');
appendFileSync(join(root, 'written'), '.');
`;

/** A project whose pinned Node.js is installed, with an npm that notes its arguments and unpacks nothing. */
let project: string;
beforeEach(() => {
  project = makeThrowawayFolder('prepare');
  for (const folder of [...FOLDERS, dirname(PINNED)]) {
    mkdirSync(join(project, folder), { recursive: true });
  }
  copyFileSync(join(SCRIPTS, 'prepare.mjs'), join(project, 'scripts/prepare.mjs'));
  cpSync(join(SCRIPTS, 'prepare'), join(project, 'scripts/prepare'), { recursive: true });
  copyFileSync(join(SCRIPTS, WRITTEN), join(project, 'scripts', WRITTEN));
  writeFileSync(join(project, 'scripts/write-client-types.ts'), WRITER);
  for (const folder of ['scripts/runtime', 'scripts/prices', 'scripts/client-types']) {
    write(folder, LOCK, {});
    write(folder, LIST, {});
  }
  copyFileSync(process.execPath, join(project, PINNED));
  symlinkSync(join('../..', PINNED), join(project, 'node_modules/.bin/node'));
  writeFileSync(join(project, 'bin/npm'), '#!/bin/sh\necho "$PWD: $*" >> "$NOTES"\n');
  chmodSync(join(project, 'bin/npm'), 0o755);
});
afterEach(() => removeThrowawayFolder(project, project));

describe('what is installed', () => {
  test.each([
    ['nothing is there: the service', undefined, [], 'ci --omit=dev'],
    ['nothing is there: the tests', undefined, ['--dev'], 'ci'],
    ['the service is there: the service', { served: SERVED }, [], null],
    ['the service is there: the tests add to it', { served: SERVED }, ['--dev'], 'install --no-save'],
    ['everything is there: the service', { served: SERVED, tool: TOOL }, [], null],
    ['everything is there: the tests', { served: SERVED, tool: TOOL }, ['--dev'], null],
    ['more than the lock file names is there', { ...ALL, former: SERVED }, ['--dev'], null],
    ['another version is there', { served: { version: '0.9.0' } }, [], 'ci --omit=dev'],
    ['another version of both is there', { served: { version: '0.9.0' }, tool: TOOL }, ['--dev'], 'ci'],
  ] as const)('%s', (_, installed, args, command) => {
    write('.', LOCK, ALL);
    if (installed) write('.', LIST, installed);
    prepare(...args);
    const own = notes().filter((line) => line.startsWith(`${project}: `));
    expect(own).toEqual(command === null ? [] : [expect.stringContaining(`: ${command} --no-audit`)]);
  });

  test('after an installation that npm ends well, the next start asks npm for nothing', () => {
    write('.', LOCK, { ...ALL, here: HERE });
    write('.', LIST, { served: SERVED });
    prepare();
    prepare();
    expect(notes()).toHaveLength(1);
    expect(prepare('--dev')).toMatch(/^Installing the packages of the service and of its tests \(once\)\.\.\./);
    prepare();
    expect(notes()).toHaveLength(2);
  });
});

test('each installation says what it installs, and when it is done', () => {
  write('.', LOCK, ALL);
  expect(prepare()).toMatch(
    /^Installing the packages of the service \(once\)\.\.\.\n {2}installed the packages of the service in \d+ s\n$/,
  );
});

test('the link to the pinned Node.js is there after an installation that the pinned Node.js runs', () => {
  write('.', LOCK, ALL);
  writeFileSync(join(project, 'bin/npm'), '#!/bin/sh\nrm -r node_modules/.bin\n');
  prepare();
  expect(existsSync(join(project, 'node_modules/.bin/node'))).toBe(true);
});

test('of the pinned Node.js and of the sample prices only the files that are read stay', () => {
  const kept = ['data/sp500-2000.csv', 'package.json'];
  const prices = 'scripts/prices/node_modules/vega-datasets';
  for (const file of [...kept, 'data/flights.csv', 'build/index.js']) touch(join(prices, file));
  const headers = join('scripts/runtime/node_modules', PLATFORM, 'include/node.h');
  touch(headers);
  for (const folder of ['scripts/runtime', 'scripts/prices']) write(folder, LOCK, { served: SERVED });
  write('.', LOCK, {});
  write('.', LIST, {});
  prepare();
  expect(kept.map((file) => existsSync(join(project, prices, file)))).toEqual([true, true]);
  const removed = [join(prices, 'data/flights.csv'), join(prices, 'build'), headers];
  expect(removed.filter((path) => existsSync(join(project, path)))).toEqual([]);
  expect(existsSync(join(project, PINNED))).toBe(true);
});

describe('the types of the client', () => {
  const times = () =>
    existsSync(join(project, 'written')) ? readFileSync(join(project, 'written'), 'utf8').length : 0;
  beforeEach(() => {
    write('.', LOCK, {});
    write('.', LIST, {});
  });

  test('are written for tests, once for the same sources, and not for the service', () => {
    prepare();
    expect(times()).toBe(0);
    prepare('--dev');
    prepare('--dev');
    expect(times()).toBe(1);
    writeFileSync(join(project, 'domain/limits.ts'), 'export const ONE = 1;');
    prepare('--dev');
    expect(times()).toBe(2);
    writeFileSync(join(project, 'clients/typescript/client/interface.d.ts'), 'export type Edited = never;');
    prepare('--dev');
    expect(times()).toBe(3);
  });

  test('which cannot be written stop nothing, and are named', () => {
    writeFileSync(join(project, 'scripts/write-client-types.ts'), 'process.exit(1);');
    expect(prepare('--dev')).toBe('The types of the TypeScript client are not written: see above.\n');
  });
});

/** @returns what it printed */
function prepare(...args: readonly string[]): string {
  const { status, stderr } = spawnSync(join(project, 'node_modules/.bin/node'), ['scripts/prepare.mjs', ...args], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: [join(project, 'bin'), process.env.PATH].join(delimiter), NOTES: join(project, 'notes') },
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stderr;
}

/** The folder and the arguments of each npm. */
function notes(): readonly string[] {
  const file = join(project, 'notes');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function write(folder: string, file: string, packages: Readonly<Record<string, Package>>): void {
  const entries = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
  writeFileSync(join(project, folder, file), JSON.stringify({ packages: Object.fromEntries(entries) }));
}

function touch(path: string): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), '');
}
