import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { type Exchange, type ScriptedServer, startScriptedServer } from '../scripted-server.ts';
import { runCli } from './run-cli.ts';

const KEY = 'sbk_Testing1_AbCdEfGhIjKlMnOpQrStUvWxYz01234567890a';
const PATH = '/api/v1/agent/backtests/momentum';
const OPTIONS = ['--horizon', '5d', '--venue', 'NASDAQ'];

const folder = makeThrowawayFolder('import');
afterAll(() => removeThrowawayFolder(folder));
let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A file with so many rows, a minute apart, and what is added to it. */
function tradesFile(name: string, count: number, more = ''): string {
  const file = join(folder, name);
  const rows = Array.from({ length: count }, (_, n) => `mine-${n},MSFT,bullish,${1704898800 + 60 * n}\n`);
  writeFileSync(file, `external_id,symbol,direction,data_cutoff\n${rows.join('')}${more}`);
  return file;
}

async function run(args: readonly string[], exchanges: readonly Exchange[]) {
  server = await startScriptedServer(exchanges);
  const ended = await runCli(['import', ...args], { env: { STANCEBOOK_URL: server.url, STANCEBOOK_API_KEY: KEY } });
  expect(server.faults()).toEqual([]);
  return ended;
}

const post = (reply: Exchange['reply'], body?: unknown): Exchange => ({
  request: { method: 'POST', path: PATH, headers: { 'x-api-key': KEY }, ...(body === undefined ? {} : { body }) },
  reply,
});
const reply = (accepted: number, repeated = 0, refused: readonly object[] = []) => ({
  body: { accepted, repeated, refused },
});

const ROW = {
  external_id: 'mine-0',
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2024-01-10T15:00:00.000Z',
};
const ABOUT = {
  source: 'CSV with columns of its own',
  horizon_rule: '5 trading days after each entry, one rule for the file',
};

describe('--check', () => {
  test('sends nothing, and shows rows, instruments, windows and refusals with their line', async () => {
    const file = tradesFile('check.csv', 3, 'x,MSFT,sell,1704898800\n');
    const { status, stdout } = await run([file, '--check', ...OPTIONS], []);
    expect([status, stdout.split('\n')]).toEqual([
      1,
      [
        'Source: CSV with columns of its own',
        'Horizon: 5 trading days after each entry, one rule for the file',
        'Would send 3 rows of 1 instrument in 1 request.',
        'Windows: from 2024-01-10T15:00:00.000Z to 2024-01-18T21:00:00.000Z.',
        '  stock:MSFT:NASDAQ:spot:USD: 3 bullish',
        expect.stringMatching(/^Refused, line 5: The direction is none of bullish/),
        '',
      ],
    ]);
  });

  test('says that a set has not so many instruments, and nothing of such a file is sent', async () => {
    const file = join(folder, 'wide.csv');
    const rows = Array.from(
      { length: 201 },
      (_, n) =>
        `A${'ABCDEFGHIJ'[n % 10]}${'ABCDEFGHIJ'[Math.floor(n / 10) % 10]}${n > 99 ? 'X' : ''}${n > 199 ? 'Y' : ''},bullish,1704898800\n`,
    );
    writeFileSync(file, `symbol,direction,data_cutoff\n${rows.join('')}`);
    const { status, stdout } = await run([file, '--check', ...OPTIONS], []);
    expect([status, stdout]).toEqual([1, expect.stringContaining('201 instruments')]);
    expect(stdout).toContain('A set has at most 200 instruments: split the file.');
    await server?.close();
    const sent = await run([file, '--set', 'momentum', ...OPTIONS], []);
    expect([sent.status, sent.stderr]).toEqual([
      2,
      expect.stringContaining('The file has 201 instruments. A set has at most 200 instruments: split the file.'),
    ]);
  });

  test('needs no service and ends with 0 where all rows can be sent', async () => {
    const { status } = await runCli(['import', tradesFile('good.csv', 1), '--check', ...OPTIONS]);
    expect(status).toBe(0);
  });
});

describe('--set', () => {
  test('sends the rows with their source', async () => {
    const { status, stderr } = await run(
      [tradesFile('one.csv', 1), '--set', 'momentum', ...OPTIONS],
      [post(reply(1), { about: ABOUT, rows: [ROW] })],
    );
    expect([status, stderr]).toEqual([0, 'stancebook: sent 1 of 1: 1 accepted, 0 repeated, 0 refused\n']);
  });

  test('sends a thousand at a time; what is refused, here or there, is in the file of errors', async () => {
    const file = tradesFile('many.csv', 1_500, 'x,MSFT,sell,1704898800\n');
    const details = [{ path: 'symbol', message: 'Did you mean MSFX?' }];
    const { status, stderr } = await run(
      [file, '--set', 'momentum', ...OPTIONS],
      [post(reply(1_000)), post(reply(499, 0, [{ row: 3, external_id: 'mine-1003', details }]))],
    );
    expect(status).toBe(1);
    expect(stderr).toContain('sent 1500 of 1500: 1499 accepted, 0 repeated, 1 refused\n');
    const lines = readFileSync(`${file}.refused.jsonl`, 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { place: 'line 1502', external_id: null, why: expect.stringContaining('The direction is none of') },
      { place: 'line 1005', external_id: 'mine-1003', why: 'symbol: Did you mean MSFX?' },
    ]);
  });

  test('that breaks off at a limit goes on by the same command', async () => {
    const file = tradesFile('resumed.csv', 1_001);
    const envelope = {
      code: 'DAILY_QUOTA_EXCEEDED',
      category: 'quota_exceeded',
      message: 'It is used up.',
      suggestion: 'Wait.',
      request_id: 'r',
    };
    const args = [file, '--set', 'momentum', ...OPTIONS];
    const first = await run(args, [post(reply(1_000)), post({ status: 429, body: { error: envelope } })]);
    expect(first.status).toBe(1);
    expect(first.stderr).toContain('The same command goes on later');
    expect(first.stderr).toContain('DAILY_QUOTA_EXCEEDED: It is used up.');
    await server?.close();
    const second = await run(args, [post(reply(0, 1_000)), post(reply(1))]);
    expect([second.status, second.stderr]).toEqual([
      0,
      expect.stringContaining('1 accepted, 1000 repeated, 0 refused'),
    ]);
    expect(existsSync(`${file}.refused.jsonl`)).toBe(false);
  });

  test('that breaks off where waiting does not help does not say that it goes on later', async () => {
    const envelope = { code: 'TIER_LIMIT_REACHED', category: 'quota_exceeded', message: 'An account may have 2 rows.' };
    const args = [tradesFile('full.csv', 1), '--set', 'momentum', ...OPTIONS];
    const { status, stderr } = await run(args, [post({ status: 429, body: { error: envelope } })]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('TIER_LIMIT_REACHED: An account may have 2 rows.')]);
    expect(stderr).not.toContain('goes on later');
  });

  test('that the service refuses as a whole says why, and not that it goes on', async () => {
    const details = [{ path: 'about.source', message: 'must be as in the first request' }];
    const envelope = { code: 'VALIDATION_ERROR', category: 'input_invalid', message: 'The set differs.', details };
    const args = [tradesFile('other.csv', 1), '--set', 'momentum', ...OPTIONS];
    const { status, stderr } = await run(args, [post({ status: 422, body: { error: envelope } })]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('about.source: must be as in the first request')]);
    expect(stderr).not.toContain('goes on');
  });

  test('--wait ends when all rows that had settled are graded, and prints the set', async () => {
    const get = (ungraded_yet: number): Exchange => ({
      request: { method: 'GET', path: PATH },
      reply: { body: { set: 'momentum', ungraded_yet } },
    });
    const { status, stdout, stderr } = await run(
      [tradesFile('waited.csv', 1), '--set', 'momentum', '--wait', ...OPTIONS],
      [post(reply(1)), get(1), get(0)],
    );
    expect([status, JSON.parse(stdout)]).toEqual([0, { set: 'momentum', ungraded_yet: 0 }]);
    expect(stderr).toContain('1 row to grade');
  });

  test('--wait ends with 1 at --timeout, with the rows that remain', async () => {
    const get: Exchange = {
      request: { method: 'GET', path: PATH },
      reply: { body: { set: 'momentum', ungraded_yet: 7 } },
    };
    const args = [tradesFile('late.csv', 1), '--set', 'momentum', '--wait', '--timeout', '1', ...OPTIONS];
    const { status, stdout, stderr } = await run(args, [post(reply(1)), get]);
    expect([status, JSON.parse(stdout).ungraded_yet]).toEqual([1, 7]);
    expect(stderr).toContain('The timeout ends with 7 rows to grade; this goes on.');
  });
});

test.each([
  [['FILE'], 'Give --check to see what would be sent, or --set NAME to send it.'],
  [['FILE', '--check', '--set', 'a'], 'Give --check to see what would be sent, or --set NAME to send it.'],
  [['FILE', '--set', 'My set'], '--set needs 1 to 40 lower-case letters, digits and hyphens.'],
  [['FILE', '--check'], 'Add --horizon, such as 5d (trading days) or 4h'],
  [['FILE', '--check', '--horizon', '5d'], 'Add --venue, such as NASDAQ or BINANCE.'],
  [[], 'import needs an argument.'],
])('%j is no import and sends nothing', async (words, fault) => {
  const file = tradesFile('none.csv', 1);
  const { status, stderr } = await run(
    words.map((word) => (word === 'FILE' ? file : word)),
    [],
  );
  expect([status, stderr]).toEqual([2, expect.stringContaining(fault)]);
});
