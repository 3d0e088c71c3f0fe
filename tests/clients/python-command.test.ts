import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { readClientCases } from './client-cases.ts';
import { read, runOn } from './python/run-command.ts';
import { runPython } from './python/run-python.ts';
import type { Exchange } from './scripted-server.ts';

const RECORD = 'dec_20261123_0a1b2c3d';
const PLAN = '019a2f60-5c00-7000-8000-00005c0ffee5';
const PLANS = '/api/v1/agent/plans';
const { api_key } = readClientCases();

const folder = makeThrowawayFolder('python');
afterAll(() => removeThrowawayFolder(folder));

const state = (body: object) => read(`/api/v1/agent/decisions/${RECORD}/state`, body);

describe('a command of stancebook.py', () => {
  const submitted = (path: string, headers: Readonly<Record<string, string>>, status: number): Exchange => ({
    request: { method: 'POST', path, headers, body: { market: 'stock' } },
    reply: { status, body: { record_id: RECORD } },
  });

  test('submits standard input and prints the reply as JSON', async () => {
    const headers = { 'idempotency-key': 'mine', 'x-api-key': api_key };
    const script = [submitted('/api/v1/agent/decisions', headers, 201)];
    const run = await runOn(script, ['submit', '-', '--idempotency-key', 'mine'], '{"market":"stock"}');
    expect(run).toEqual({ status: 0, stderr: '', stdout: `{\n  "record_id": "${RECORD}"\n}\n` });
  });

  test('checks a file', async () => {
    writeFileSync(join(folder, 'decision.json'), '{"market":"stock"}');
    const script = [submitted('/api/v1/agent/decisions?validate_only=true', {}, 200)];
    const run = await runOn(script, ['submit', join(folder, 'decision.json'), '--validate-only']);
    expect(run.status).toBe(0);
  });

  test.each([
    ['state', state({ state: 'tracking' })],
    ['show', read(`/api/v1/agent/decisions/${RECORD}`, { record_id: RECORD })],
    ['wait', state({ state: 'closed' })],
  ])('%s prints what it reads', async (name, exchange) => {
    const { status, stdout } = await runOn([exchange], [name, RECORD]);
    expect([status, JSON.parse(stdout)]).toEqual([0, exchange.reply.body]);
  });

  test.each([
    ['an argument', ['Ignored the CPI date'], ''],
    ['standard input', ['-'], 'Ignored the CPI date\n'],
  ])('note sends the text of %s', async (_, words, input) => {
    const written = { number: 1, written_at: '2026-11-23T12:00:00.000Z' };
    const path = `/api/v1/agent/decisions/${RECORD}/notes`;
    const request = { method: 'POST', path, body: { text: 'Ignored the CPI date' } };
    const { status, stdout } = await runOn(
      [{ request, reply: { status: 201, body: written } }],
      ['note', RECORD, ...words],
      input,
    );
    expect([status, JSON.parse(stdout)]).toEqual([0, written]);
  });

  test('note sends the time of the back-test with a row of a set', async () => {
    const as_of = '2003-02-21T14:30:00Z';
    const body = { external_id: 'trade-17', text: 'Ignored the CPI date', as_of };
    const request = { method: 'POST', path: '/api/v1/agent/backtests/spring/notes', body };
    const written = { as_of: '2003-02-21T14:30:00.000Z', written_at: '2026-11-23T12:00:00.000Z' };
    const args = ['note', 'trade-17', 'Ignored the CPI date', '--set', 'spring'];
    const { status, stdout } = await runOn(
      [{ request, reply: { status: 201, body: written } }],
      [...args, '--as-of', as_of],
    );
    expect([status, JSON.parse(stdout)]).toEqual([0, written]);
    const wrong = await runOn([], args);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--set and --as-of go together.')]);
  });

  test('record-proof prints the file, as the owner of the account', async () => {
    const text = '{"type":"record","v":1}\n{"decisions":0,"type":"complete"}\n';
    const path = '/api/v1/owner/record-proof?agent_id=agt_0a1b2c3d4e5f';
    const reply = { status: 200, headers: { 'content-type': 'application/jsonl; charset=utf-8' }, text };
    const byToken = { method: 'GET', path, headers: { authorization: 'Bearer token' }, absent: ['x-api-key'] };
    const args = ['record-proof', 'agt_0a1b2c3d4e5f'];
    const environment = (url: string) => ({ STANCEBOOK_URL: url, STANCEBOOK_OWNER_TOKEN: 'token' });
    const run = await runOn([{ request: byToken, reply }], args, '', environment);
    expect(run).toEqual({ status: 0, stderr: '', stdout: text });
    const login = { method: 'POST', path: '/api/v1/public/auth/login', body: { email: 'a@b.org', password: 'phrase' } };
    const logout = { method: 'POST', path: '/api/v1/owner/auth/logout', headers: { cookie: 'session=opened' } };
    const script: Exchange[] = [
      { request: login, reply: { status: 200, headers: { 'set-cookie': 'session=opened; Path=/' }, body: {} } },
      { request: { method: 'GET', path, headers: { cookie: 'session=opened' } }, reply },
      { request: logout, reply: { status: 204, text: '' } },
    ];
    expect((await runOn(script, [...args, '--email', 'a@b.org'], 'phrase\n')).stdout).toBe(text);
    const { status, stderr } = await runOn([], args);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('Give the token of the owner, or email and password.'),
    ]);
  });

  test('record-proof asks for the code of a second factor where the account has one', async () => {
    const text = '{"type":"record","v":1}\n{"decisions":0,"type":"complete"}\n';
    const path = '/api/v1/owner/record-proof?agent_id=agt_0a1b2c3d4e5f';
    const login = (body: object, reply: Exchange['reply']): Exchange => ({
      request: {
        method: 'POST',
        path: '/api/v1/public/auth/login',
        body: { email: 'a@b.org', password: 'phrase', ...body },
      },
      reply,
    });
    const error = {
      code: 'SECOND_FACTOR_REQUIRED',
      category: 'auth_failed',
      message: 'It also needs a second factor.',
    };
    const opened = { status: 200, headers: { 'set-cookie': 'session=opened; Path=/' }, body: {} };
    const script: Exchange[] = [
      login({}, { status: 401, body: { error } }),
      login({ totp: '287082' }, opened),
      { request: { method: 'GET', path, headers: { cookie: 'session=opened' } }, reply: { status: 200, text } },
      { request: { method: 'POST', path: '/api/v1/owner/auth/logout' }, reply: { status: 503, text: '' } },
    ];
    const args = ['record-proof', 'agt_0a1b2c3d4e5f', '--email', 'a@b.org'];
    expect(await runOn(script, args, 'phrase\n287082\n')).toEqual({ status: 0, stderr: '', stdout: text });
  });

  test('a reply that is too long is asked for once, and the refusal names the option', async () => {
    const long = { ...state({ state: 'closed', of: 'x'.repeat(5_000) }) };
    const run = await runOn([long], ['--longest-reply-bytes', '4000', 'state', RECORD]);
    expect([run.status, run.stderr]).toEqual([
      1,
      expect.stringMatching(/^stancebook: The reply of \S+ is longer than 4000 bytes: raise longest_reply_bytes\.\n$/),
    ]);
    expect((await runOn([long], ['--longest-reply-bytes', '9000', 'state', RECORD])).status).toBe(0);
  });

  test('a reply that takes too long is an error that names the option', async () => {
    const request = { method: 'POST', path: '/api/v1/public/auth/login' };
    const args = ['--timeout-seconds', '0.5', 'record-proof', 'agt_0a1b2c3d4e5f', '--email', 'a@b.org'];
    const run = await runOn([{ request, reply: { fault: 'hang' } }], args, 'phrase\n');
    expect([run.status, run.stderr]).toEqual([1, expect.stringContaining('time-out after 0.5 s (timeout_seconds)')]);
  });

  test('receipt prints the bytes of the receipt', async () => {
    const reply = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: 'proof\n\n— a b\n' };
    const script = [{ request: { method: 'GET', path: `/api/v1/agent/decisions/${RECORD}/receipt` }, reply }];
    expect((await runOn(script, ['receipt', RECORD])).stdout).toBe(reply.text);
  });

  test('receipt --wait reads again after Retry-After', async () => {
    const request = { method: 'GET', path: `/api/v1/agent/decisions/${RECORD}/receipt` };
    const error = { code: 'NOT_LOGGED_YET', category: 'retryable', message: 'Not yet.', retry_after_seconds: 1 };
    const early = { status: 404, headers: { 'retry-after': '1' }, body: { error } };
    const later = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: 'proof\n' };
    const script = [early, later].map((reply) => ({ request, reply }));
    expect(await runOn(script, ['receipt', RECORD, '--wait'])).toEqual({ status: 0, stderr: '', stdout: 'proof\n' });
  });

  test('plan states a question, and --wait prints its receipt', async () => {
    const body = { query: { market: 'stock' }, sentence: 'It rises.' };
    const stated: Exchange = {
      request: { method: 'POST', path: PLANS, body },
      reply: { status: 201, body: { plan_id: PLAN } },
    };
    const input = JSON.stringify(body);
    const printed = await runOn([stated], ['plan', '-'], input);
    expect(printed).toEqual({ status: 0, stderr: '', stdout: `{\n  "plan_id": "${PLAN}"\n}\n` });
    const receipt = { request: { method: 'GET', path: `${PLANS}/${PLAN}/receipt` }, reply: { text: 'proof\n' } };
    const waited = await runOn([stated, receipt], ['plan', '-', '--wait'], input);
    expect(waited).toEqual({ status: 0, stderr: expect.stringContaining(`${PLAN} is stated`), stdout: 'proof\n' });
    expect((await runOn([receipt], ['receipt', PLAN])).stdout).toBe('proof\n');
  });

  test('recall prints the text for a prompt, or the whole reply', async () => {
    const path = '/api/v1/agent/recall?market=stock&symbol=BRK%2FB';
    const body = { text: '## Own record\nOpen: none', sha256: 'ab' };
    const { status, stdout } = await runOn([read(path, body)], ['recall', 'stock', 'BRK/B']);
    expect([status, stdout]).toEqual([0, `${body.text}\n`]);
    const options = ['--direction', 'bearish', '--horizon-kind', 'trading_days', '--horizon-value', '5', '--json'];
    const script = [read(`${path}&direction=bearish&horizon_kind=trading_days&horizon_value=5`, body)];
    expect(JSON.parse((await runOn(script, ['recall', 'stock', 'BRK/B', ...options])).stdout)).toEqual(body);
  });

  test('plans prints what the agent stated, of all pages', async () => {
    const script = [
      read(`${PLANS}?limit=100`, { items: [{ plan_id: PLAN }], next_cursor: 'c1' }),
      read(`${PLANS}?limit=100&cursor=c1`, { items: [{ plan_id: 'older' }], next_cursor: null }),
    ];
    const { status, stdout } = await runOn(script, ['plans']);
    expect([status, JSON.parse(stdout)]).toEqual([0, [{ plan_id: PLAN }, { plan_id: 'older' }]]);
  });

  test.each([
    [
      'a refusal',
      ['state', RECORD],
      [{ ...state({}), reply: { status: 404, text: '' } }],
      1,
      /^stancebook: HTTP_404: /,
    ],
    [
      'a time that is over',
      ['wait', RECORD, '--timeout', '1'],
      [state({ state: 'tracking', poll_after_seconds: 9 })],
      1,
      /^stancebook: dec_\w+ is not ready/,
    ],
    ['a body that is no JSON', ['submit', '-'], [], 2, /^stancebook: Standard input is not JSON\.\n$/],
    ['a file that does not exist', ['submit', 'absent'], [], 1, /^stancebook: .*No such file/],
    ['no command', [], [], 2, /^usage: /],
  ] as const)('%s is one line on standard error, without a traceback', async (_, args, script, status, words) => {
    const run = await runOn(script, args, '{');
    expect([run.status, run.stdout, run.stderr]).toEqual([status, '', expect.stringMatching(words)]);
    expect(run.stderr).not.toContain('Traceback');
  });
});

describe('the key of a login', () => {
  const limits = (headers: Readonly<Record<string, string>>): Exchange =>
    read('/api/v1/public/auth/status?include=quota', {}, headers);
  const withLogin = (name: string, content: (url: string) => string, mode: number) => (url: string) => {
    const home = join(folder, name);
    mkdirSync(join(home, 'stancebook'), { recursive: true });
    writeFileSync(join(home, 'stancebook/credentials.json'), content(url), { mode });
    return { XDG_CONFIG_HOME: home };
  };
  const login = (url: string) => JSON.stringify({ url, api_key, agent_id: 'agt_0' });

  test('is sent to the service that issued it', async () => {
    const run = await runOn([limits({ 'x-api-key': api_key })], ['limits'], '', withLogin('own', login, 0o600));
    expect(run).toMatchObject({ status: 0, stderr: '' });
  });

  test('is sent to no other service', async () => {
    const other = withLogin('other', () => login('https://book.example'), 0o600);
    const { request, reply } = limits({});
    const script = [{ request: { ...request, absent: ['x-api-key'] }, reply }];
    const run = await runOn(script, ['limits'], '', (url) => ({ ...other(url), STANCEBOOK_URL: url }));
    expect(run.status).toBe(0);
  });

  test.each([
    ['that other users can read', login, 0o644, 'Other users can read'],
    ['that is not of a login', () => '[]', 0o600, 'is not the file of a login'],
    ['that is no JSON', () => '{', 0o600, 'is not the file of a login'],
  ])('a file %s is refused', async (name, content, mode, words) => {
    const run = await runOn([], ['limits'], '', withLogin(name, content, mode));
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('without a login and an address there is one line about both', async () => {
    const run = await runOn([], ['limits'], '', () => ({ XDG_CONFIG_HOME: join(folder, 'absent') }));
    expect([run.status, run.stderr]).toEqual([2, expect.stringContaining('STANCEBOOK_URL')]);
  });
});

describe('a connection', () => {
  /** A server that sends one more byte of its reply whenever the last one was taken, without end. */
  async function withEndlessReply(use: (url: string) => Promise<void>) {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1e9 });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  }

  test('a reply that comes byte by byte ends with the timeout of the attempt', async () => {
    const script = `
import sys
from stancebook import ConnectionFailedError, Stancebook
try:
    Stancebook(sys.argv[1], None, attempts=1, timeout_seconds=0.2).limits()
except ConnectionFailedError as error:
    print(error)
`;
    await withEndlessReply(async (url) => {
      const run = await runPython(['-c', script, url]);
      expect(run).toEqual({
        status: 0,
        stderr: '',
        stdout: `No whole reply came from ${url}: time-out after 0.2 s (timeout_seconds)\n`,
      });
    });
  });

  test('by https needs a certificate of the host that the system trusts', async () => {
    const script = `
import ssl, stancebook, urllib.request
opener = stancebook._opener("https://book.example")
[handler] = [each for each in opener.handlers if isinstance(each, urllib.request.HTTPSHandler)]
print(handler._context.verify_mode == ssl.CERT_REQUIRED, handler._context.check_hostname)
`;
    expect(await runPython(['-c', script])).toEqual({ status: 0, stderr: '', stdout: 'True True\n' });
  });

  test('to loopback goes through no proxy, whatever the environment names', async () => {
    const proxy = { http_proxy: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' };
    const own = (url: string) => ({ STANCEBOOK_URL: url, STANCEBOOK_API_KEY: api_key, ...proxy });
    const run = await runOn([read('/api/v1/public/auth/status?include=quota', {})], ['limits'], '', own);
    expect(run.status).toBe(0);
  });
});
