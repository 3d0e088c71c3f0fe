import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { read, runOn } from './python/run-command.ts';
import { runPython } from './python/run-python.ts';
import { type Exchange, startScriptedServer } from './scripted-server.ts';

const PROGRAM = join(import.meta.dirname, '../../clients/python/stancebook.py');
const DECISIONS = '/api/v1/agent/decisions';
const EVENTS = '/api/v1/agent/events?limit=100';
const DEVICE = '/api/v1/public/auth/idp/device';

let folder: string;
beforeAll(() => {
  folder = makeThrowawayFolder('verbs');
});
afterAll(() => removeThrowawayFolder(folder));

const post = (path: string, body: unknown, reply: Exchange['reply']): Exchange => ({
  request: { method: 'POST', path, ...(body !== undefined && { body }) },
  reply,
});

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The environment of a user without a key, whose folder for configuration is the one of these tests. */
const keyless = (url: string) => ({ STANCEBOOK_URL: url, XDG_CONFIG_HOME: folder });

describe('a command of stancebook.py that reads', () => {
  test('list prints a decision a line, of all pages, by filters that the service judges', async () => {
    const script = [
      read(`${DECISIONS}?market=stock&symbol=BRK%2FB`, { items: [{ record_id: 'a' }], next_cursor: 'c1' }),
      read(`${DECISIONS}?market=stock&symbol=BRK%2FB&cursor=c1`, { items: [{ record_id: 'b' }], next_cursor: null }),
    ];
    const { status, stdout } = await runOn(script, ['list', 'market=stock', 'symbol=BRK/B']);
    expect([status, lines(stdout)]).toEqual([0, [{ record_id: 'a' }, { record_id: 'b' }]]);
    const one = await runOn(script.slice(0, 1), ['list', 'market=stock', 'symbol=BRK/B', '--limit', '1']);
    expect(lines(one.stdout)).toEqual([{ record_id: 'a' }]);
    const wrong = await runOn([], ['list', 'stock']);
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('stock is no filter: write NAME=VALUE')]);
  });

  test('events prints those that there are, from a cursor on', async () => {
    const script = [
      read(`${EVENTS}&after=now`, { items: [{ type: 'decision.graded' }], next_cursor: 'e1' }),
      read(`${EVENTS}&after=e1`, { items: [], next_cursor: 'e2' }),
    ];
    const { status, stdout, stderr } = await runOn(script, ['events', '--after', 'now']);
    expect([status, lines(stdout)]).toEqual([0, [{ type: 'decision.graded' }]]);
    expect(stderr).toBe('stancebook: go on later with --after e2\n');
  });

  test('events --follow ends quietly when its reader has seen enough', async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({ n, text: 'x'.repeat(2_000) }));
    const server = await startScriptedServer([read(EVENTS, { items, next_cursor: 'e1' })]);
    const { stdout, stderr } = await runPython(
      [
        '-c',
        `import subprocess, sys
first = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
print(first.stdout.readline()[:9].decode())
first.stdout.close()
print(first.stderr.read(), first.wait())`,
        PROGRAM,
        'events',
        '--follow',
      ],
      { STANCEBOOK_URL: server.url },
    );
    await server.close();
    expect([stdout, stderr]).toEqual(['{"n": 0, \nb\'\' 0\n', '']);
  });

  test('cohort prints counts, or with --items the records', async () => {
    const path = '/api/v1/agent/wisdom?market=stock&symbol=MSFT';
    const body = { overview: { sample_count: 7 }, items: [{ record_id: 'a' }], next_cursor: null };
    const words = ['cohort', 'market=stock', 'symbol=MSFT'];
    expect(JSON.parse((await runOn([read(path, body)], words)).stdout)).toEqual(body);
    expect(lines((await runOn([read(path, body)], [...words, '--items'])).stdout)).toEqual(body.items);
  });

  test('watch prints each decision as it is graded, and ends with 1 if one is not', async () => {
    const state = (id: string, reply: Exchange['reply']): Exchange => ({
      request: { method: 'GET', path: `${DECISIONS}/${id}/state` },
      reply,
    });
    const closed = { record_id: 'dec_1', state: 'closed' };
    expect(await runOn([state('dec_1', { body: closed })], ['watch', 'dec_1'])).toEqual({
      status: 0,
      stderr: '',
      stdout: `${JSON.stringify(closed, null, 2)}\n`,
    });
    const { status, stderr } = await runOn([state('dec_2', { status: 404, text: '' })], ['watch', 'dec_2']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('HTTP_404')]);
  });
});

describe('a command of stancebook.py as the owner', () => {
  const login = post(
    '/api/v1/public/auth/login',
    { email: 'a@b.org', password: 'phrase' },
    {
      headers: { 'set-cookie': 'session=opened; Path=/' },
      body: {},
    },
  );
  const logout = post('/api/v1/owner/auth/logout', undefined, { status: 204, text: '' });
  const key = { api_key: 'sbk_secret', key_prefix: 'sbk_s', agent_id: 'agt_0a1b2c3d4e5f' };

  /** What is stored; only the user can read it, and nothing printed it. */
  function stored(printed: string) {
    const file = join(folder, 'stancebook/credentials.json');
    expect([statSync(file).mode & 0o777, printed.includes(key.api_key)]).toEqual([0o600, false]);
    return JSON.parse(readFileSync(file, 'utf8'));
  }

  test('login --email stores the key that it gets by a password, for the next command', async () => {
    const made = post('/api/v1/owner/auth/api-keys', { agent_name: 'Scout' }, { status: 201, body: key });
    const args = ['login', '--email', 'a@b.org', '--agent-name', 'Scout'];
    const run = await runOn([login, made, logout], args, 'phrase\n', keyless);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(stored(run.stdout)).toMatchObject({ api_key: key.api_key, agent_id: key.agent_id });
    const server = await startScriptedServer([
      read('/api/v1/public/auth/status?include=quota', { credential: 'api_key' }, { 'x-api-key': key.api_key }),
    ]);
    writeFileSync(join(folder, 'stancebook/credentials.json'), JSON.stringify({ ...key, url: server.url }));
    const limits = await runPython([PROGRAM, 'limits'], { XDG_CONFIG_HOME: folder });
    await server.close();
    expect([limits.stderr, JSON.parse(limits.stdout), server.faults()]).toEqual(['', { credential: 'api_key' }, []]);
  });

  test('login shows the page and the code of the identity provider, and waits for the user', async () => {
    const body = { device_code: 'device', agent_name: 'Command line' };
    const device = { ...body, verification_uri: 'https://id.example/d', user_code: 'AB\u001b-CD', interval: 0 };
    const waits = { code: 'AUTHORIZATION_PENDING', category: 'retryable', message: 'Not yet.' };
    const script = [
      post(DEVICE, undefined, { body: device }),
      post(`${DEVICE}/poll`, body, { status: 400, body: { error: waits } }),
      post(`${DEVICE}/poll`, body, { status: 201, body: key }),
    ];
    const run = await runOn(script, ['login'], '', keyless);
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('Open https://id.example/d and compare the code AB\\u{1b}-CD.\n');
    expect(stored(run.stdout).api_key).toBe(key.api_key);
    const error = { code: 'OAUTH_NOT_CONFIGURED', category: 'service_degraded', message: 'None.' };
    const without = await runOn([post(DEVICE, undefined, { status: 503, body: { error } })], ['login'], '', keyless);
    expect([without.status, without.stderr]).toEqual([2, expect.stringContaining('has no identity provider')]);
  });

  test.each([
    ['jsonl', '', '{"type":"complete"}\n', '{"type":"decision"}\n'],
    ['parquet', '?format=parquet', 'PAR1 data PAR1', 'PAR1 data'],
  ])(
    'export of %s prints what the account owns, and refuses one without its end',
    async (format, query, whole, part) => {
      const by = (url: string) => ({ STANCEBOOK_URL: url, STANCEBOOK_OWNER_TOKEN: 'token' });
      const request = {
        method: 'GET',
        path: `/api/v1/owner/export${query}`,
        headers: { authorization: 'Bearer token' },
        absent: ['x-api-key'],
      };
      const args = ['export', '--format', format];
      const run = await runOn([{ request, reply: { text: whole } }], args, '', by);
      expect(run).toEqual({ status: 0, stderr: '', stdout: whole });
      const broken = await runOn([{ request, reply: { text: part } }], args, '', by);
      expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining('its end is missing')]);
      const refused = await runOn([{ request, reply: { status: 401, text: '' } }], args, '', by);
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('HTTP_401')]);
    },
  );
});

describe('the command line of stancebook.py', () => {
  test.each([
    [['--version'], 0, /^stancebook \d+\.\d+\.\d+\n$/],
    [['lsit'], 2, /There is no command lsit\. Did you mean list\?\n$/],
    [['xyzzy'], 2, /There is no command xyzzy\.\n$/],
    [['help', 'lsit'], 2, /Did you mean list\?\n$/],
    [['help', 'events'], 0, /^usage: stancebook\.py events /],
    [['mcp'], 2, /^stancebook: mcp is in the command line for Node\.js alone: npx stancebook mcp\n$/],
    [['import', 'trades.csv'], 2, /npx stancebook import\n$/],
    [['verify', 'receipt'], 2, /checked by `npx stancebook verify`, or by verify\.mjs/],
  ])('%j', async (args, status, words) => {
    const run = await runPython([PROGRAM, ...args]);
    expect([run.status, run.stdout + run.stderr]).toEqual([status, expect.stringMatching(words)]);
  });

  test('the address may stand behind the command', async () => {
    const { stderr } = await runPython([PROGRAM, 'limits', '--url', 'http://book.example'], {
      STANCEBOOK_API_KEY: 'k',
    });
    expect(stderr).toContain('Over plain http others can read the API key');
  });

  test('bash completes commands and their options', async () => {
    const { stdout } = await runPython([PROGRAM, 'completion', 'bash']);
    const completed = (...words: string[]) => {
      const ask = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stancebook; echo "\${COMPREPLY[*]}"`;
      return spawnSync('bash', ['-c', ask, 'bash', 'stancebook', ...words], { encoding: 'utf8' }).stdout.trim();
    };
    expect(completed('re')).toBe('recall receipt record-proof');
    expect(completed('events', '--f')).toBe('--follow');
  });

  test.each(['zsh', 'fish'])('%s gets every command', async (shell) => {
    const { stdout } = await runPython([PROGRAM, 'completion', shell]);
    const script = 'import stancebook; print(" ".join(stancebook._COMMANDS))';
    const commands = (await runPython(['-c', script])).stdout.trim().split(' ');
    expect(commands.filter((name) => !stdout.includes(name))).toEqual([]);
    expect(stdout).toContain('follow');
  });
});
