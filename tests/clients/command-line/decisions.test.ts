import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { type Exchange, type ScriptedServer, startScriptedServer } from '../scripted-server.ts';
import { type CliOptions, runCli } from './run-cli.ts';

const KEY = 'sbk_Testing1_AbCdEfGhIjKlMnOpQrStUvWxYz01234567890a';
const ID = 'dec_20261123_0a1b2c3d';
const PLAN = '019a2f60-5c00-7000-8000-00005c0ffee5';
const DECISIONS = '/api/v1/agent/decisions';
const PLANS = '/api/v1/agent/plans';
const DECISION = { market: 'stock', symbol: 'MSFT' };

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Runs a command with a key against scripted replies. All of these must be used, and the key never shows. */
async function run(args: readonly string[], exchanges: readonly Exchange[], options: CliOptions = {}) {
  server = await startScriptedServer(exchanges);
  const env = { STANCEBOOK_URL: server.url, STANCEBOOK_API_KEY: KEY, ...options.env };
  const ended = await runCli(args, { ...options, env });
  expect(server.faults()).toEqual([]);
  expect(ended.stdout + ended.stderr).not.toContain(KEY);
  return ended;
}

function get(path: string, reply: Exchange['reply']): Exchange {
  return { request: { method: 'GET', path, headers: { 'x-api-key': KEY } }, reply };
}

function refused(status: number, code: string, category: string, more: object = {}): Exchange['reply'] {
  const envelope = { code, category, message: 'It is wrong.', suggestion: 'Send it right.', retry_after_seconds: null };
  return { status, body: { error: { ...envelope, request_id: 'req-1', ...more } } };
}

const stateOf = (more: object) => ({ record_id: ID, lifecycle_state: 'verified', next_check_at: null, ...more });

describe('note', () => {
  const WRITTEN = { number: 1, written_at: '2026-11-23T12:00:00.000Z' };
  const post = (text: string, reply: Exchange['reply']): Exchange => ({
    request: { method: 'POST', path: `${DECISIONS}/${ID}/notes`, headers: { 'x-api-key': KEY }, body: { text } },
    reply,
  });

  test.each([
    ['an argument', ['Ignored the CPI date'], ''],
    ['standard input', ['-'], 'Ignored the CPI date\n'],
  ])('sends the text of %s and prints number and time', async (_, words, input) => {
    const exchange = post('Ignored the CPI date', { status: 201, body: WRITTEN });
    const { status, stdout } = await run(['note', ID, ...words], [exchange], { input });
    expect([status, JSON.parse(stdout)]).toEqual([0, WRITTEN]);
  });

  test('before the outcome ends with 1 and says so', async () => {
    const exchange = post('Too early', refused(409, 'RECORD_OPEN', 'retryable', { retry_after_seconds: 60 }));
    const { status, stdout, stderr } = await run(['note', ID, 'Too early'], [exchange]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('RECORD_OPEN: It is wrong.');
  });

  test('on a row of a back-test sends the time of the back-test', async () => {
    const as_of = '2003-02-21T14:30:00Z';
    const body = { external_id: 'trade-17', text: 'Ignored the CPI date', as_of };
    const request = { method: 'POST', path: '/api/v1/agent/backtests/spring/notes', body };
    const written = { as_of: '2003-02-21T14:30:00.000Z', written_at: '2026-11-23T12:00:00.000Z' };
    const args = ['note', 'trade-17', 'Ignored the CPI date', '--set', 'spring'];
    const reply = { status: 201, body: written };
    const { status, stdout } = await run([...args, '--as-of', as_of], [{ request, reply }]);
    expect([status, JSON.parse(stdout)]).toEqual([0, written]);
    expect(await run(args, [])).toMatchObject({ status: 2, stdout: '' });
  });

  test('without a text is a wrong command', async () => {
    expect(await run(['note', ID], [])).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('submit', () => {
  const post = (reply: Exchange['reply'], headers = {}): Exchange => ({
    request: { method: 'POST', path: DECISIONS, headers: { 'idempotency-key': '*', ...headers }, body: DECISION },
    reply,
  });

  test('sends a decision of standard input and prints the reply', async () => {
    const made = { record_id: ID };
    const exchange = post({ status: 201, body: made }, { 'idempotency-key': 'run-1' });
    const input = JSON.stringify(DECISION);
    const { status, stdout } = await run(['submit', '-', '--idempotency-key', 'run-1'], [exchange], { input });
    expect([status, JSON.parse(stdout)]).toEqual([0, made]);
  });

  test('of a refused decision ends with 1 and says what to send', async () => {
    const details = [{ path: 'symbol', message: 'is \u001b[2Junknown' }];
    const exchange = post(refused(422, 'VALIDATION_ERROR', 'input_invalid', { details }));
    const { status, stdout, stderr } = await run(['submit', '-'], [exchange], { input: JSON.stringify(DECISION) });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'stancebook: VALIDATION_ERROR: It is wrong.\n  symbol: is \ufffd[2Junknown\n  Send it right.\n  request req-1\n',
    );
  });

  test('whose replies are all lost ends with 1 and the key that repeats it', async () => {
    const lost: Exchange['reply'] = { fault: 'drop' };
    const exchanges = [post(lost), ...Array.from({ length: 4 }, () => post(lost, { 'idempotency-key': '=' }))];
    const { status, stderr } = await run(['submit', '-'], exchanges, { input: JSON.stringify(DECISION) });
    expect(status).toBe(1);
    expect(stderr).toMatch(/got no whole reply in 5 attempts\.\n {2}Repeat it with --idempotency-key [0-9a-f-]{36}: /);
  });

  test('of a text that is not JSON sends nothing', async () => {
    const { status, stderr } = await run(['submit', '-'], [], { input: '{"market":' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Standard input is not JSON.')]);
  });
});

describe('watch', () => {
  test('prints each decision when it is closed, and ends with 1 where one has no outcome', async () => {
    const closed = stateOf({ state: 'closed', lifecycle_state: 'evaluated' });
    const path = `${DECISIONS}/${ID}/state`;
    const first = await run(['watch', ID], [get(path, { body: closed })]);
    expect([first.status, JSON.parse(first.stdout)]).toEqual([0, closed]);
    await server?.close();
    const rejected = stateOf({ state: 'unavailable', lifecycle_state: 'rejected' });
    const second = await run(['watch', ID], [get(path, { body: rejected })]);
    expect([second.status, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(`${ID}: ${ID} is rejected: no outcome comes.`);
  });

  test('reports a state that waits, and its timeout', async () => {
    const tracking = stateOf({ state: 'tracking', next_check_at: '2100-01-01T00:00:00.000Z' });
    const { status, stderr } = await run(
      ['watch', ID, '--timeout', '5'],
      [get(`${DECISIONS}/${ID}/state`, { body: tracking })],
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`${ID} is tracking; next check at 2100-01-01T00:00:00.000Z`);
    expect(stderr).toContain('The timeout ends before the next read of the state.');
  });
});

test('receipt writes the receipt as it is served', async () => {
  const text = 'c2sp.org/tlog-proof@v1\nindex 3\n\n\u2014 log\n';
  const exchange = get(`${DECISIONS}/${ID}/receipt?leaf=outcome&opening=full`, { text });
  const { status, stdout } = await run(['receipt', ID, '--outcome', '--opening', 'full'], [exchange]);
  expect([status, stdout]).toEqual([0, text]);
});

describe('plan', () => {
  const asked = { query: { market: 'stock', symbol: 'MSFT' }, sentence: 'It rises.' };
  const stated: Exchange = {
    request: { method: 'POST', path: PLANS, headers: { 'x-api-key': KEY }, body: asked },
    reply: { status: 201, body: { plan_id: PLAN, log_index: null } },
  };
  const input = JSON.stringify(asked);

  test('states a question of standard input and prints the reply', async () => {
    const { status, stdout } = await run(['plan', '-'], [stated], { input });
    expect([status, JSON.parse(stdout)]).toEqual([0, stated.reply.body]);
  });

  test('--wait prints its receipt once it is there, and its id on standard error', async () => {
    const early = refused(404, 'NOT_LOGGED_YET', 'retryable', { retry_after_seconds: 0.1 });
    const path = `${PLANS}/${PLAN}/receipt`;
    const exchanges = [
      stated,
      get(path, { ...early, headers: { 'retry-after': '0' } }),
      get(path, { text: 'proof\n' }),
    ];
    const { status, stdout, stderr } = await run(['plan', '-', '--wait'], exchanges, { input });
    expect([status, stdout, stderr]).toEqual([0, 'proof\n', expect.stringContaining(`${PLAN} is stated`)]);
  });

  test('that is refused ends with 1', async () => {
    const reply = refused(429, 'RATE_LIMIT_EXCEEDED', 'retryable', { retry_after_seconds: 3_600 });
    const exchange = { ...stated, reply: { ...reply, headers: { 'retry-after': '3600' } } };
    const { status, stdout, stderr } = await run(['plan', '-'], [exchange], { input });
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('RATE_LIMIT_EXCEEDED: It is wrong.')]);
  });

  test('has a receipt that is found by its id', async () => {
    const exchange = get(`${PLANS}/${PLAN}/receipt?opening=full`, { text: 'proof\n' });
    expect((await run(['receipt', PLAN, '--opening', 'full'], [exchange])).stdout).toBe('proof\n');
  });
});

test('recall prints the text for a prompt, or the whole reply', async () => {
  const RECALL = '/api/v1/agent/recall?market=stock&symbol=BRK%2FB';
  const body = { text: '## Own record\nOpen: \u001b[2J', sha256: 'ab' };
  const words = ['recall', 'stock', 'BRK/B'];
  const { status, stdout } = await run(words, [get(RECALL, { body })]);
  expect([status, stdout]).toEqual([0, '## Own record\nOpen: \ufffd[2J\n']);
  const options = ['--direction', 'bearish', '--horizon-kind', 'trading_days', '--horizon-value', '5'];
  const further = [...options, '--as-of', '2026-01-30T14:30:00Z', '--set', 'a', '--tokens', '400', '--json'];
  const path = `${RECALL}&direction=bearish&horizon_kind=trading_days&horizon_value=5&as_of=2026-01-30T14%3A30%3A00Z&set=a&tokens=400`;
  expect(JSON.parse((await run([...words, ...further], [get(path, { body })])).stdout)).toEqual(body);
});

test('plans prints what the agent stated, of all pages', async () => {
  const pages = [
    get(`${PLANS}?limit=100`, { body: { items: [{ plan_id: PLAN }], next_cursor: 'c1' } }),
    get(`${PLANS}?limit=100&cursor=c1`, { body: { items: [{ plan_id: 'older' }], next_cursor: null } }),
  ];
  const { status, stdout } = await run(['plans'], pages);
  expect([status, stdout]).toEqual([0, `{\n  "plan_id": "${PLAN}"\n}\n{\n  "plan_id": "older"\n}\n`]);
});

describe('export', () => {
  const env = { STANCEBOOK_OWNER_TOKEN: 'token' };
  const exported = (text: string, path = '/api/v1/owner/export'): Exchange => ({
    request: { method: 'GET', path, headers: { authorization: 'Bearer token' }, absent: ['x-api-key'] },
    reply: { text },
  });

  test('writes the copy', async () => {
    const copy = '{"type":"export"}\n{"type":"complete","counts":{}}\n';
    expect(await run(['export'], [exported(copy)], { env })).toEqual({ status: 0, stdout: copy, stderr: '' });
  });

  test('of a copy without its last line ends with 1', async () => {
    const { status, stderr } = await run(['export'], [exported('{"type":"export"}\n')], { env });
    expect([status, stderr]).toEqual([1, expect.stringContaining('The copy is not whole')]);
  });

  test('of a copy that breaks off ends with 1', async () => {
    const exchange = exported('{"type":"export"}\n', '/api/v1/owner/export?format=zip');
    const cut = { ...exchange, reply: { ...exchange.reply, fault: 'truncate' as const } };
    expect((await run(['export', '--format', 'zip'], [cut], { env })).status).toBe(1);
  });

  test.each([
    ['csv', 'record_id\r\n', 0],
    ['parquet', 'PAR1...PAR1', 0],
    ['parquet', 'PAR1...', 1],
    ['jsonl', '{"type":"complete","counts":{}}\n', 0],
  ])('as %s writes %j and ends with %i', async (format, text, ending) => {
    const query = format === 'jsonl' ? '' : `?format=${format}`;
    const exchange = exported(text, `/api/v1/owner/export${query}`);
    const { status, stdout } = await run(['export', '--format', format], [exchange], { env });
    expect([status, stdout]).toEqual([ending, text]);
  });

  test('of CSV that breaks off ends with 1, and of another format with 2', async () => {
    const exchange = exported('record_id\r\n', '/api/v1/owner/export?format=csv');
    const cut = { ...exchange, reply: { ...exchange.reply, fault: 'truncate' as const } };
    expect((await run(['export', '--format', 'csv'], [cut], { env })).status).toBe(1);
    await server?.close();
    const { status, stderr } = await run(['export', '--format', 'xlsx'], [], { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining('--format can be jsonl, zip, csv or parquet.')]);
  });

  test('that is refused ends with 1', async () => {
    const exchange = { ...exported(''), reply: refused(401, 'UNAUTHORIZED', 'auth_failed') };
    const { status, stderr } = await run(['export'], [exchange], { env });
    expect([status, stderr]).toEqual([1, expect.stringContaining('UNAUTHORIZED: It is wrong.')]);
  });
});

describe('record-proof', () => {
  const env = { STANCEBOOK_OWNER_TOKEN: 'token' };
  const proof = (text: string): Exchange => ({
    request: {
      method: 'GET',
      path: '/api/v1/owner/record-proof?agent_id=agt_0a1b2c3d4e5f',
      headers: { authorization: 'Bearer token' },
      absent: ['x-api-key'],
    },
    reply: { text },
  });
  const whole = '{"type":"record","v":1}\n{"decisions":0,"type":"complete"}\n';

  test('writes the file as it is served', async () => {
    const ended = await run(['record-proof', 'agt_0a1b2c3d4e5f'], [proof(whole)], { env });
    expect(ended).toEqual({ status: 0, stdout: whole, stderr: '' });
  });

  test('of a file without its last line, or one that is refused, ends with 1', async () => {
    const cut = await run(['record-proof', 'agt_0a1b2c3d4e5f'], [proof('{"type":"record","v":1}\n')], { env });
    expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('The copy is not whole')]);
    await server?.close();
    const exchange = { ...proof(''), reply: refused(404, 'NOT_FOUND', 'not_found') };
    const { status, stderr } = await run(['record-proof', 'agt_0a1b2c3d4e5f'], [exchange], { env });
    expect([status, stderr]).toEqual([1, expect.stringContaining('NOT_FOUND: It is wrong.')]);
  });
});

describe('a stored login', () => {
  const folder = makeThrowawayFolder('stored-login');
  const file = join(folder, 'stancebook/credentials.json');
  beforeAll(() => mkdirSync(join(folder, 'stancebook')));
  afterAll(() => removeThrowawayFolder(folder));

  const env = { XDG_CONFIG_HOME: folder, STANCEBOOK_API_KEY: '', STANCEBOOK_URL: '' };
  const store = (url: string, mode: number) => {
    writeFileSync(file, JSON.stringify({ url, api_key: KEY, agent_id: 'agt_0123456789ab' }));
    chmodSync(file, mode);
  };

  test('is used where nothing else is set', async () => {
    server = await startScriptedServer([get(`${DECISIONS}/${ID}/receipt`, { text: 'proof\n' })]);
    store(server.url, 0o600);
    expect(await runCli(['receipt', ID], { env })).toEqual({ status: 0, stdout: 'proof\n', stderr: '' });
  });

  test('is not sent to another service', async () => {
    store('https://stancebook.example', 0o600);
    const { status, stderr } = await run(['receipt', ID], [], {
      env: { XDG_CONFIG_HOME: folder, STANCEBOOK_API_KEY: '' },
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining('There is no API key')]);
  });

  test('that others can read is refused', async () => {
    store('https://stancebook.example', 0o640);
    const { status, stderr } = await runCli(['receipt', ID], { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining('Other users can read')]);
    expect(stderr).not.toContain(KEY);
  });

  test('that is none is refused', async () => {
    writeFileSync(file, '[]', { mode: 0o600 });
    chmodSync(file, 0o600);
    const { status, stderr } = await runCli(['receipt', ID], { env });
    expect([status, stderr]).toEqual([2, expect.stringContaining('is not the file of a login')]);
  });
});

test.each([
  [['sell'], 'There is no command sell.'],
  [['constructor'], 'There is no command constructor.'],
  [['submit'], 'submit needs an argument.'],
  [['receipt', ID, ID], 'receipt has too many arguments.'],
  [['receipt', PLAN, '--outcome'], '--outcome is for decisions'],
  [['plan'], 'plan needs an argument.'],
  [['recall', 'stock'], 'recall needs an argument.'],
  [['plans', PLAN], 'plans has too many arguments.'],
  [['plans', '--wait'], "Unknown option '--wait'"],
  [['receipt', ID, '--timeout', '3'], "Unknown option '--timeout'"],
  [['watch', ID, '--timeout', 'soon'], '--timeout needs seconds.'],
  [['receipt', ID, '--opening', 'half'], '--opening can be full.'],
  [['export'], 'Give --email EMAIL, or set STANCEBOOK_OWNER_TOKEN.'],
  [['record-proof'], 'record-proof needs an argument.'],
  [['export', '--format', 'xml'], '--format can be jsonl, zip, csv or parquet.'],
  [['receipt', ID, '--url', 'http://stancebook.example'], 'must be https'],
])('%j is no command and sends nothing', async (args, fault) => {
  const { status, stderr } = await run(args, []);
  expect([status, stderr]).toEqual([2, expect.stringContaining(fault)]);
});

test('verify is the verifier', async () => {
  expect(await runCli(['verify', 'absent'])).toMatchObject({ status: 2, stdout: expect.stringContaining('ENOENT') });
});
