import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { servicePages } from '../../adapters/http/service-pages.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { addressOf, exitOf } from '../../scripts/child-process.ts';
import { IMAGE_FOLDERS, isLeftOutOfImage } from '../../scripts/release/image-context.ts';
import { makeFolder, removeFolder } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = { uid: 65_534, gid: 65_534 };
const asNobody = process.geteuid?.() === 0 ? NOBODY : {};

let folder: string;
let app: string;
let postgres: EmbeddedPostgres;

/** What the Dockerfile makes: a build of what .dockerignore lets through, and the packages that are outside of it. */
beforeAll(async () => {
  folder = makeFolder();
  app = join(folder, 'app');
  const context = join(folder, 'context');
  mkdirSync(context);
  const isCopied = (path: string) => !isLeftOutOfImage(relative(ROOT, path));
  for (const name of IMAGE_FOLDERS)
    cpSync(join(ROOT, name), join(context, name), { recursive: true, filter: isCopied });
  symlinkSync(join(ROOT, 'node_modules'), join(context, 'node_modules'));
  const built = spawnSync(process.execPath, [...OPTIONS, 'scripts/build.ts', join(app, 'dist')], {
    cwd: context,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
  for (const name of packagesOfImage()) {
    const target = join(app, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(ROOT, 'node_modules', name), target, { recursive: true });
  }
  for (const name of ['.', 'dist']) chmodSync(join(app, name), 0o555);
  mkdirSync(compiled());
  chmodSync(compiled(), 0o777);
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: () => undefined });
}, 300_000);
afterAll(async () => {
  await postgres.stop();
  removeFolder(folder);
});

test('the packages that the Dockerfile copies are those outside of the build, with what they need', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'node_modules/bcrypt/package.json'), 'utf8'));
  // node-addon-api has headers for a compiler alone.
  expect(packagesOfImage()).toEqual([
    'bcrypt',
    ...Object.keys(dependencies).filter((name) => name !== 'node-addon-api'),
  ]);
});

test('the memory storage, which is for tests only, and secrets of operators are not sent to the build', () => {
  expect(isLeftOutOfImage('adapters/memory/storage.ts')).toBe(true);
  expect(
    ['stancebook.env', 'grafana-password', 'log-key.pem'].map((name) => isLeftOutOfImage(`docs/operating/${name}`)),
  ).toEqual([true, true, true]);
  expect(['docs/operating/stancebook.env.example', 'scripts/prices/package.json'].filter(isLeftOutOfImage)).toEqual([]);
});

test('the service serves every page from the image without write access: each file that it reads is there', async () => {
  const offline = { MARKET_DATA_NETWORK: 'false', CIRCUIT_MONITOR: 'false' };
  const env = { ...databaseVariables(), ...offline, PORT: '0', NODE_COMPILE_CACHE: compiled() };
  const child = spawn(process.execPath, ['dist/service.mjs'], { cwd: app, env, ...asNobody });
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

test('stancebook admin runs a command in the image as an ordinary user without write access', () => {
  const env = { ...databaseVariables(), NODE_COMPILE_CACHE: compiled() };
  const args = ['dist/stancebook.mjs', 'admin', 'check-evidence'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: app,
    env,
    encoding: 'utf8',
    ...asNobody,
  });
  expect(stderr).toBe('');
  expect([status, stdout]).toEqual([0, expect.stringContaining('0 statements')]);
  expect(existsSync(join(app, 'node_modules/jest'))).toBe(false);
});

const OPTIONS = ['--disable-warning=ExperimentalWarning', '--preserve-symlinks', '--preserve-symlinks-main'];

/** Beyond the image: the first test fills it, and the programs of the others read it. */
function compiled(): string {
  return join(folder, 'compiled');
}

function databaseVariables(): Readonly<Record<string, string>> {
  const secret = 'a secret of the tests, long enough for them';
  const urls = { DATABASE_URL: postgres.serviceUrl, MIGRATION_DATABASE_URL: postgres.url };
  return { ...urls, SESSION_SECRET: secret, PASSWORD_PEPPER: secret };
}

/** The packages that a line of the Dockerfile copies out of node_modules. */
function packagesOfImage(): readonly string[] {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const [, names = ''] = /cp -R (.+) \/image\/app\/node_modules\//.exec(dockerfile) ?? [];
  return names.split(' ').map((path) => path.replace(/^node_modules\//, ''));
}
