import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { aProcess } from '../../builders/processes.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { runAdmin } from '../../harness/admin-command.ts';

let opened: OpenedDatabase;
let folder: string;
beforeEach(async () => {
  opened = await onPostgres(2);
  folder = await mkdtemp(join(tmpdir(), 'stancebook-securities-'));
  await opened.arrange.freeze(new Date('2026-01-30T12:00:00Z'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await opened.close();
});

const env = () => ({ BARS_DIR: join(folder, 'bars'), MARKET_DATA_NETWORK: 'false' });
const admin = (...args: readonly string[]) => runAdmin(opened.serviceUrl, folder, ['securities', ...args], env());

async function file(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const line = (said: object) =>
  JSON.stringify({ market: 'crypto', from: '2024-07-01', kind: 'listed', venue: 'BINANCE', ...said });

/** Daily bars of a pair around 1 July 2024, at one price. */
async function bars(symbol: string, price: number, ...days: readonly string[]): Promise<void> {
  const rows = days.map((day) => `${day},${price},${price * 1.01},${price * 0.99},${price},10`);
  const path = await file(`${symbol}.csv`, 'date,open,high,low,close,volume', ...rows);
  const args = ['import-bars', path, `crypto:${symbol}:BINANCE:spot:USDT`, '--size', '1d', '--source', 'test'];
  const { code, output } = await runAdmin(opened.serviceUrl, folder, [...args, '--licence', 'test'], env());
  if (code !== 0) throw new Error(output);
}

const AGIX = line({ name: 'AGIX', from: '2021-01-01', until: '2024-07-01', key: 'AGIX' });
const RENAMED = { name: 'FET2', key: 'AGIX', kind: 'renamed' };

test('while a process of release 0.5.0 runs, nothing is imported or withdrawn, and the refusal names it', async () => {
  const { processes, clock } = opened.storage;
  await processes.report(aProcess({ process: 'old:7', release: '0.5.0' }), [], await clock.now());
  const refusal =
    /Nothing was changed: old:7 of release 0\.5\.0 runs, and reads no names\. End it, and try again after a minute\./;
  const good = await file('good.jsonl', AGIX);
  for (const args of [['import'], ['import', good], ['withdraw', '1']]) {
    const { code, output } = await admin(...args);
    expect([code, output]).toEqual([1, expect.stringMatching(refusal)]);
  }
  await processes.end('old:7', []);
  expect((await admin('import', good)).output).toMatch(/1 imported, 0 known before/);
});

test('imports the statements of a file as the operator, all or none, and lists and withdraws them', async () => {
  const good = await file('good.jsonl', AGIX, line(RENAMED));
  expect((await admin('import', good)).output).toMatch(
    /1 {2}crypto AGIX at BINANCE is AGIX from 2021-01-01 to 2024-07-01/,
  );
  expect(await admin('import', good)).toEqual({ code: 0, output: '0 imported, 2 known before' });
  const bad = await file(
    'bad.jsonl',
    line({ name: 'ZZ', key: 'ZZ~2' }),
    line({ name: 'AGIX', key: 'ZZ', from: '2022-01-01' }),
  );
  const refused = await admin('import', bad);
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(/Nothing was imported.*\nline 2: AGIX: statement 1 says .*withdraw 1 first/);
  expect((await admin('withdraw', '1')).output).toMatch(/^3 {2}withdraws 1: crypto AGIX/);
  expect((await admin('list')).output).toMatch(
    /^2 {2}crypto FET2 at BINANCE is AGIX from 2024-07-01 \(renamed, operator .*\)$/,
  );
  const { code, output } = await admin('withdraw', '1');
  expect([code, output]).toEqual([1, 'No statement 1 applies.']);
});

test('names the line of a fault where two lines share name and date', async () => {
  const [good, bad] = [line({ name: 'ZZ', key: 'ZZ' }), line({ name: 'ZZ', venue: 'KRAKEN', key: 'ZZ~5' })];
  const { output } = await admin('import', await file('twice.jsonl', good, bad));
  expect(output).toMatch(/\nline 2: ZZ: no security has the key ZZ~4/);
  expect(output).not.toMatch(/line 1/);
});

test('names every line that is no statement', async () => {
  const bad = await file('bad.jsonl', '{', line({ name: 'A' }), line({ name: 'A', key: 'A', kind: 'gone' }));
  const { code, output } = await admin('import', bad);
  expect(code).toBe(2);
  expect(output).toMatch(/line 1: .*\nline 2: key .*\nline 3: kind /);
});

test('a rename at a ratio that prices contradict is refused with the ratio that fits', async () => {
  await bars('AGIX', 0.9, '2024-06-28', '2024-06-29', '2024-06-30');
  await bars('FET2', 2.07, '2024-07-01', '2024-07-02', '2024-07-03');
  const even = await admin('import', await file('even.jsonl', AGIX, line(RENAMED)));
  expect(even.code).toBe(1);
  expect(even.output).toMatch(/last close before 2024-07-01 is 0.9, the first open of FET2 2.07.*0.4348 fits/);
  const { code, output } = await admin('import', await file('ratio.jsonl', AGIX, line({ ...RENAMED, ratio: 0.43335 })));
  expect([code, output]).toEqual([0, expect.stringMatching(/2 imported/)]);
});

test('a rename whose old name no statement has is held against the prices of its key', async () => {
  await bars('AGIX', 0.9, '2024-06-28', '2024-06-29', '2024-06-30');
  await bars('FET2', 2.07, '2024-07-01', '2024-07-02', '2024-07-03');
  const { code, output } = await admin('import', await file('alone.jsonl', line(RENAMED)));
  expect([code, output]).toEqual([1, expect.stringMatching(/last close before 2024-07-01 is 0.9.*0.4348 fits/)]);
});

test('names that trade on one day are two securities', async () => {
  await bars('AGIX', 2, '2024-06-29', '2024-06-30', '2024-07-01');
  await bars('FET2', 2, '2024-07-01', '2024-07-02', '2024-07-03');
  const { output } = await admin('import', await file('both.jsonl', AGIX, line(RENAMED)));
  expect(output).toMatch(/prices of both names on 2024-07-01/);
});

test("a vendor's rename waits for prices; then it applies", async () => {
  const vendor = { source: { kind: 'vendor', name: 'lists' } };
  const path = await file('vendor.jsonl', AGIX, line({ ...RENAMED, ...vendor }));
  const waiting = await admin('import', path);
  expect([waiting.code, waiting.output]).toEqual([1, expect.stringMatching(/Statement 2 applies to nothing: waits/)]);
  await bars('AGIX', 2, '2024-06-29', '2024-06-30');
  await bars('FET2', 2.1, '2024-07-01', '2024-07-02');
  await admin('withdraw', '2');
  expect(await admin('import', path)).toMatchObject({ code: 0, output: expect.stringMatching(/1 imported, 1 known/) });
});

test('the statements of the release are imported once', async () => {
  expect((await admin('import')).output).toMatch(/stock FB is META from 2012-05-18 to 2022-06-09/);
  expect((await admin('import')).output).toMatch(/^0 imported, \d+ known before$/);
});

const WEEK = ['2021-03-01', '2021-03-02', '2021-03-03', '2021-03-04', '2021-03-05'];

/** Imports daily bars of a share; the folder that they are in, or the refusal. */
async function share(symbol: string, days: readonly string[], ...more: readonly string[]): Promise<string> {
  const rows = days.map((day) => `${day},100,101,99,100,10`);
  const path = await file(`${symbol}.csv`, 'date,open,high,low,close,volume', ...rows);
  const args = ['import-bars', path, `stock:${symbol}:NASDAQ:spot:USD`, '--size', '1d', '--json', ...more];
  const { output } = await runAdmin(opened.serviceUrl, folder, args, env());
  const { instrument, imported, reason } = JSON.parse(output);
  return imported ? instrument : reason;
}

test('bars belong to the security that had the name on their dates', async () => {
  await admin('import');
  expect(await share('FB', WEEK)).toBe('stock:META:NASDAQ:spot:USD');
  expect(await share('FB', ['2025-07-01', '2025-07-02'])).toBe('stock:FB:NASDAQ:spot:USD');
  expect(await share('MSFT', WEEK)).toBe('stock:MSFT:NASDAQ:spot:USD');
  expect(await share('FB', ['2022-06-08', '2025-07-01'])).toMatch(
    /not all rows are of one security, since FB is META from 2012-05-18 to 2022-06-09, FB from 2025-06-24\. .*--names today/,
  );
  expect(await share('FB', ['2023-03-01'])).toMatch(/not all rows are of one security/);
  expect(await share('META', ['2021-06-29', '2021-12-01', '2022-06-09'])).toMatch(/not all rows are of one security/);
  const today = await share('META', ['2021-06-29', '2021-12-01', '2022-06-09'], '--names', 'today', '--replace');
  expect(today).toBe('stock:META:NASDAQ:spot:USD');
});

test('bars of a contract of 1,000 may be named as its pair', async () => {
  await admin('import');
  const rows = ['2026-01-05', '2026-01-06'].map((day) => `${day},1,1.01,0.99,1,10`);
  const path = await file('1000PEPE.csv', 'date,open,high,low,close,volume', ...rows);
  const identity = 'crypto:1000PEPEUSDT:BINANCE:perp:USDT';
  const { output } = await runAdmin(
    opened.serviceUrl,
    folder,
    ['import-bars', path, identity, '--size', '1d', '--json', '--check'],
    env(),
  );
  expect(JSON.parse(output).instrument).toBe('crypto:PEPE:BINANCE:perp:USDT');
});

test('commands read an instrument through the names', async () => {
  await admin('import');
  expect(await share('FB', WEEK)).toBe('stock:META:NASDAQ:spot:USD');
  const run = async (...args: readonly string[]) => (await runAdmin(opened.serviceUrl, folder, args, env())).output;
  expect(await run('refresh', 'stock:RELIANCE:BSE:spot:INR')).toMatch(/^stock:RELIANCE\.NS:BSE:spot:INR: queued/);
  expect(await run('refresh', 'stock:RELIANCE.NS:BSE:spot:INR')).toMatch(/^stock:RELIANCE\.NS:BSE:spot:INR: already/);
  expect(await run('refresh', 'crypto:1000PEPEUSDT:BINANCE:perp:USDT')).toMatch(
    /^crypto:PEPE:BINANCE:perp:USDT: queued/,
  );
  expect(await run('refresh', 'stock:META:NASDAQ:spot:USD')).toMatch(/^stock:META:/);
  const { instrument, fault } = JSON.parse(await run('bars', 'stock:RELIANCE:BSE:spot:INR', '--json'));
  expect([instrument, fault]).toEqual(['stock:RELIANCE.NS:BSE:spot:INR', expect.stringMatching(/RELIANCE\.NS/)]);
});

test('--listed is a statement, once, as long as the security had the name', async () => {
  expect(await share('ZZZ', WEEK, '--listed', '2021-03-01')).toBe('stock:ZZZ:NASDAQ:spot:USD');
  expect(await share('ZZZ', WEEK, '--listed', '2021-03-01', '--replace')).toBe('stock:ZZZ:NASDAQ:spot:USD');
  expect((await admin('list')).output).toMatch(/^1 {2}stock ZZZ is ZZZ from 2021-03-01 \(listed, operator .*\)$/);
  expect(await share('ZZZ', WEEK, '--listed', '2021-02-01', '--replace')).toMatch(
    /--listed 2021-02-01: .*withdraw 1 first/,
  );
  await admin('import');
  expect(await share('FB', WEEK, '--listed', '2012-05-21')).toBe('stock:META:NASDAQ:spot:USD');
  expect((await admin('list')).output).toMatch(/stock FB is META from 2012-05-21 to 2022-06-09 \(listed, operator/);
});
