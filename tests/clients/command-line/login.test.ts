import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openServiceWithProvider, type ServiceWithProvider } from '../../harness/identity/service.ts';
import { decideOnDevice } from '../../harness/identity/tokens.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

let service: ServiceWithProvider;
let plain: TestService;
const servers: Server[] = [];
let [url, plainUrl] = ['', ''];
beforeAll(async () => {
  service = await openServiceWithProvider('memory', { at: AT });
  plain = await openService('memory', { at: AT });
  [url, plainUrl] = await Promise.all([listen(service), listen(plain)]);
});
afterAll(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  await Promise.all([service.close(), plain.close()]);
});

let folder: string;
beforeEach(() => {
  folder = makeThrowawayFolder('login');
});
afterEach(() => removeThrowawayFolder(folder));

const listen = ({ app }: TestService) => listenOn(createServer(app));

async function listenOn(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const file = () => join(folder, 'stancebook/credentials.json');

function run(args: readonly string[], options: CliOptions = {}) {
  return runCli(args, { ...options, env: { XDG_CONFIG_HOME: folder } });
}

/** What the login stored; checks that only its user can read it and that nothing printed it. */
function stored(printed: string) {
  expect([statSync(file()).mode & 0o777, statSync(join(folder, 'stancebook')).mode & 0o777]).toEqual([0o600, 0o700]);
  const credentials = JSON.parse(readFileSync(file(), 'utf8'));
  expect(credentials.api_key).toMatch(/^sbk_/);
  expect(printed).not.toContain(credentials.api_key);
  return credentials;
}

async function statusOf({ url: at, api_key }: { readonly url: string; readonly api_key: string }) {
  return (await fetch(`${at}/api/v1/public/auth/status`, { headers: { 'x-api-key': api_key } })).json();
}

test('a login by the provider stores the key of a new agent', async () => {
  let decided: Promise<unknown> | undefined;
  const { status, stdout, stderr } = await run(['login', '--url', url, '--agent-name', 'Scout'], {
    onOutput(printed) {
      const [, page] = /^Open (\S+) and compare the code \S+\.$/m.exec(printed) ?? [];
      if (page) decided ??= decideOnDevice('ada', page);
    },
  });
  await decided;
  expect([status, stderr]).toEqual([0, '']);
  const credentials = stored(stdout);
  expect(await statusOf(credentials)).toMatchObject({ credential: 'api_key', agent_id: credentials.agent_id });
});

test('a login that the user refuses stores nothing', async () => {
  let decided: Promise<unknown> | undefined;
  const { status, stderr } = await run(['login', '--url', url], {
    onOutput(printed) {
      const [, page] = /^Open (\S+) and/m.exec(printed) ?? [];
      if (page) decided ??= decideOnDevice('ada', page, 'no');
    },
  });
  await decided;
  expect([status, stderr]).toEqual([1, expect.stringContaining('ACCESS_DENIED')]);
  expect(existsSync(file())).toBe(false);
});

test('without a provider the login asks for an email', async () => {
  const { status, stderr } = await run(['login', '--url', plainUrl]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('log in with --email EMAIL')]);
});

test('a login by password stores a key, ends its session, and a second one can be for the same agent', async () => {
  const { email } = await aPasswordOwner(plain);
  const args = ['login', '--url', plainUrl, '--email', email];
  const first = await run(args, { input: `${PASSWORD}\n` });
  expect([first.status, first.stderr]).toEqual([0, '']);
  expect(first.stdout).not.toContain(PASSWORD);
  const { agent_id, api_key } = stored(first.stdout);
  const second = await run([...args, '--agent-id', agent_id], { input: PASSWORD });
  expect(second.status).toBe(0);
  const again = stored(second.stdout);
  expect([again.agent_id, again.api_key === api_key]).toEqual([agent_id, false]);
  expect(await statusOf(again)).toMatchObject({ credential: 'api_key', agent_id });
  const events = plain.log.filter((line) => line.includes('/api/v1/owner/auth/logout'));
  expect(events).toHaveLength(2);
});

test('a wrong password stores nothing and is not printed', async () => {
  const { email } = await aPasswordOwner(plain);
  const wrong = 'another plain phrase';
  const { status, stdout, stderr } = await run(['login', '--url', plainUrl, '--email', email], { input: wrong });
  expect([status, stderr]).toEqual([1, expect.stringContaining('INVALID_CREDENTIALS')]);
  expect(stdout + stderr).not.toContain(wrong);
  expect(existsSync(file())).toBe(false);
});

test('the account is exported with its password', async () => {
  const { email, owner_id } = await aPasswordOwner(plain);
  const { status, stdout } = await run(['export', '--url', plainUrl, '--email', email], { input: PASSWORD });
  expect(status).toBe(0);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([lines[0], lines.at(-1)]).toMatchObject([{ type: 'export', owner_id }, { type: 'complete' }]);
});

/** The codes that confirm a second factor: one that the app shows now, and a recovery code. */
async function withSecondFactor(cookie: string): Promise<readonly [string, string]> {
  const post = async (path: string, body: object) => {
    const headers = { cookie, ...OWN_PAGE, 'content-type': 'application/json' };
    const factors = `${plainUrl}/api/v1/owner/auth/factors`;
    const reply = await fetch(`${factors}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await reply.json()) as { readonly secret: string; readonly recovery_codes: readonly string[] };
  };
  const { secret } = await post('/totp', {});
  const { recovery_codes } = await post('/totp/confirm', { totp: codeAt(secret, await plain.ports.clock.now()) });
  await plain.arrange.advance(30_000);
  return [codeAt(secret, await plain.ports.clock.now()), recovery_codes[0] ?? ''];
}

test('an account with a second factor is asked for its code, which is the second line', async () => {
  const { email, cookie } = await anOwnerLoggedIn(plain);
  const [code, recovery] = await withSecondFactor(cookie);
  const args = ['--url', plainUrl, '--email', email ?? ''];
  const copy = await run(['export', ...args], { input: `${PASSWORD}\n${code}\n` });
  expect([copy.status, copy.stderr, copy.stdout.includes('"type":"complete"')]).toEqual([0, '', true]);
  const login = await run(['login', ...args], { input: `${PASSWORD}\n${recovery}\n` });
  expect([login.status, login.stderr]).toEqual([0, '']);
  const wrong = await run(['export', ...args], { input: `${PASSWORD}\n${code}\n` });
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('SECOND_FACTOR_REQUIRED')]);
});

test('a key is stored, and a copy is whole, when the login cannot be ended', async () => {
  const { email } = await aPasswordOwner(plain);
  const broken = createServer((incoming, reply) =>
    incoming.url?.endsWith('/auth/logout') ? reply.writeHead(503).end() : plain.app(incoming, reply),
  );
  const args = ['--url', await listenOn(broken), '--email', email];
  const login = await run(['login', ...args], { input: PASSWORD });
  expect([login.status, login.stderr]).toEqual([0, expect.stringContaining('The login could not be ended: HTTP_503')]);
  expect(await statusOf(stored(login.stdout))).toMatchObject({ credential: 'api_key' });
  const copy = await run(['export', ...args], { input: PASSWORD });
  expect([copy.status, copy.stdout.includes('"type":"complete"')]).toEqual([0, true]);
});
