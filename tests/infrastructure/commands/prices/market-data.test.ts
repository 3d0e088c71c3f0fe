import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importPackagedData } from '../../../../adapters/market/files/packaged-data.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const MSFT_CSV = join(ROOT, 'scripts/prices/node_modules/amcharts3/amcharts/plugins/dataloader/examples/data/MSFT.csv');
const ACME = 'stock:ACME:NASDAQ:spot:USD';

let opened: OpenedDatabase;
let folder: string;
let bars: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-admin-'));
  bars = join(folder, 'bars');
  opened = await onPostgres(2);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await opened.close();
});

const environment = () => {
  const secret = 'a secret of the tests, long enough for them';
  return {
    PATH: process.env.PATH,
    DATABASE_URL: opened.serviceUrl,
    SESSION_SECRET: secret,
    PASSWORD_PEPPER: secret,
    DATA_DIR: folder,
    MARKET_DATA_BARS_DIR: bars,
    MARKET_DATA_NETWORK: 'false',
  };
};

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** The command line as an operator runs it. */
function adminProcess(...args: readonly string[]): Promise<Ended> {
  const cli = join(ROOT, 'infrastructure', 'cli.ts');
  const command = ['--disable-warning=ExperimentalWarning', cli, ...args];
  const env = { ...environment(), NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };
  const child = spawn(process.execPath, command, { env, cwd: ROOT });
  let output = '';
  const keep = (text: Buffer) => {
    output += text;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output.trimEnd() })));
}

/** The same within this process. */
async function admin(...args: readonly string[]): Promise<Ended> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, environment(), { print: say, complain: say });
  return { code, output: lines.join('\n') };
}

async function file(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.join('\n'));
  return path;
}

const stored = (path: string) => readFile(join(bars, path), 'utf8');

describe('import-bars', () => {
  const form = ['--size', '1d'];

  test('a dry run reports what the data lack and stores nothing', async () => {
    const { code, output } = await admin('import-bars', MSFT_CSV, ACME, ...form, '--dry-run');
    expect(output.split('\n')).toEqual([
      `${ACME}, 1d: 3673 rows, 3673 of them usable, 2000-01-03T14:30:00.000Z to 2014-08-08T20:00:00.000Z`,
      '  read as Yahoo Finance download; times in America/New_York, which name sessions; prices raw, as far as the file says',
      '  0 of 3673 bars of the calendar are missing',
      '  2.4 % of the sessions open exactly at the close of the session before',
      '  ! 2003-02-18T14:30:00.000Z: the price leaps from 48.3 to 24.62; adj_close accounts for it, levels of plans do not',
      'Nothing was imported: this was a check.',
    ]);
    expect(code).toBe(0);
    await expect(stored('stock/NASDAQ/spot/ACME-USD/manifest.json')).rejects.toThrow('ENOENT');
  });

  test('imported, the bars are the packaged ones to the last digit, and their instrument is to be verified', async () => {
    const actions = await file('actions.csv', 'at,kind,value', '2003-02-18,split,2');
    const terms = ['--actions', actions, '--source', 'my broker', '--licence', 'for own use'];
    const { code, output } = await adminProcess('import-bars', MSFT_CSV, ACME, ...form, ...terms);
    expect(output).not.toContain('explains');
    expect(output).toMatch(/3673 bars were imported\.\nThe instrument is verified again, job [0-9a-f-]{36}\.$/);
    expect(code).toBe(0);
    await importPackagedData(join(folder, 'packaged'));
    for (const name of ['1d.csv', 'actions.csv']) {
      const packaged = await readFile(join(folder, 'packaged/stock/NASDAQ/spot/MSFT-USD', name), 'utf8');
      expect(await stored(`stock/NASDAQ/spot/ACME-USD/${name}`)).toBe(packaged);
    }
    expect(JSON.parse(await stored('stock/NASDAQ/spot/ACME-USD/manifest.json'))).toEqual({
      source: 'my broker',
      licence: 'for own use',
      time_zone: 'America/New_York',
      sizes: ['1d'],
      ranges: { '1d': { from: '2000-01-03T14:30:00.000Z', to: '2014-08-08T20:00:00.000Z' } },
      cadence: 'end_of_day',
      history_from: '2000-01-03T14:30:00.000Z',
      delisted_at: null,
      imported_at: '2026-03-02T12:00:00.000Z',
    });
    expect(await opened.storage.audit.about(ACME, 10)).toMatchObject([
      { action: 'refresh_instrument' },
      { actor: operatorName(), action: 'import_bars', detail: { size: '1d', bars: 3673, source: 'my broker' } },
    ]);
    const now = await opened.storage.clock.now();
    expect(await opened.storage.instruments.refreshesDue(now, 10)).toMatchObject([{ instrument: { symbol: 'ACME' } }]);
  });

  test('existing bars are replaced only with --replace', async () => {
    const path = await file('new.csv', 'Date,Open,High,Low,Close', '2014-08-08,1,2,1,2');
    const before = await stored('stock/NASDAQ/spot/ACME-USD/1d.csv');
    const refused = await admin('import-bars', path, ACME, ...form);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('Send --replace')]);
    expect(await stored('stock/NASDAQ/spot/ACME-USD/1d.csv')).toBe(before);
    expect((await admin('import-bars', path, ACME, ...form, '--replace')).code).toBe(0);
    expect(await stored('stock/NASDAQ/spot/ACME-USD/1d.csv')).toContain('2014-08-08T20:00:00Z,1,2,1,2,');
  });

  test('another size joins what is there, in local time, each bar in its session', async () => {
    const path = await file(
      'hours.csv',
      'Datetime,Open,High,Low,Close,Volume,VWAP',
      '2014-08-08 08:30,10,11,9,10,5,10',
      '2014-08-08 09:30,10,11,9,10,5,10',
      '2014-08-08 10:30,10,11,9,10,,10',
      '2014-08-08 15:30,10,11,9,10,5,10',
    );
    const { code, output } = await admin('import-bars', path, ACME, '--size', '1h');
    expect(output).toContain('4 rows, 2 of them usable');
    expect(output).toContain('1 outside every session of the venue, left out');
    expect(output).toContain('1 end after their session, left out: the file has rows outside sessions');
    expect(output).toContain('1 sessions have bars and none at their close');
    expect(output).toContain('columns that are not read: vwap');
    expect(code).toBe(0);
    expect((await stored('stock/NASDAQ/spot/ACME-USD/1h.csv')).split('\n').slice(1, 3)).toEqual([
      '2014-08-08T13:30:00Z,2014-08-08T14:30:00Z,10,11,9,10,5',
      '2014-08-08T14:30:00Z,2014-08-08T15:30:00Z,10,11,9,10,',
    ]);
    expect(JSON.parse(await stored('stock/NASDAQ/spot/ACME-USD/manifest.json'))).toMatchObject({
      sizes: ['1h', '1d'],
      ranges: { '1h': { from: '2014-08-08T13:30:00.000Z' }, '1d': { to: expect.any(String) } },
      source: 'import of new.csv; 1h: import of hours.csv',
    });
  });

  test('everything that is wrong with rows is counted, and they are left out', async () => {
    const path = await file(
      'wrong.csv',
      'date,open,high,low,close,volume',
      '2026-02-23,10,11,9,10,5',
      '2026-02-23,10,11,9,10.5,5',
      '2026-02-25,10,9,9,10,5',
      '2026-02-26,10,11,9,10,5',
      '2026-02-28,10,11,9,10,5',
      '2026-03-02,10,11,9,10,5',
    );
    const { code, output } = await admin('import-bars', path, 'stock:WRONG:NYSE:spot:USD', ...form, '--check');
    expect(output.split('\n')).toEqual([
      expect.stringContaining('6 rows, 2 of them usable, 2026-02-23T14:30:00.000Z to 2026-02-26T21:00:00.000Z'),
      expect.stringContaining('read as plain columns'),
      '  1 outside every session of the venue, left out',
      '  1 repeated, left out (the last one of each counts)',
      '  1 with impossible prices (high below, low above, or none), left out',
      '  1 have not ended yet, left out',
      '  2 of 4 bars of the calendar are missing',
      '  2 sessions without any bar: 2026-02-24, 2026-02-25',
      'Nothing was imported: this was a check.',
    ]);
    expect(code).toBe(0);
  });

  test('a wrong call is exit code 2 and shows the usage', async () => {
    const { code, output } = await adminProcess('import-bars', MSFT_CSV, ACME);
    expect([code, output]).toEqual([2, expect.stringContaining('npm run admin -- import-bars FILE IDENTITY --size')]);
  });

  test.each([
    ['a row that cannot be read', ['date,open,high,low,close', '2026-02-23,10,11,9,ten'], '1 of 1 rows have no prices'],
    ['a day that is none', ['date,open,high,low,close', '2026-02-30,10,11,9,10'], 'no row can be used'],
    [
      'a file without the close',
      ['date,open,high,low', '2026-02-23,10,11,9'],
      'has the columns date, open, high, low, not a time with',
    ],
    ['a file without rows', ['date,open,high,low,close'], 'no row can be used'],
    ['no usable row', ['date,open,high,low,close', '2026-02-28,10,11,9,10'], 'no row can be used'],
  ])('%s is exit code 1, and nothing is kept', async (_, lines, fault) => {
    const path = await file('bad.csv', ...lines);
    const { code, output } = await admin('import-bars', path, 'stock:BAD:NYSE:spot:USD', ...form);
    expect([code, output]).toEqual([1, expect.stringContaining(fault)]);
    await expect(stored('stock/NYSE/spot/BAD-USD/manifest.json')).rejects.toThrow('ENOENT');
  });

  test('a packaged import never replaces what an operator imported', async () => {
    const path = await file('own.csv', 'date,open,high,low,close', '2014-08-08,1,2,1,2');
    await admin('import-bars', path, 'stock:MSFT:NASDAQ:spot:USD', ...form);
    const before = await stored('stock/NASDAQ/spot/MSFT-USD/1d.csv');
    const report = await importPackagedData(bars);
    expect(report.find(({ instrument }) => instrument === 'stock:MSFT:NASDAQ:spot:USD')?.outcome).toBe('present');
    expect(await stored('stock/NASDAQ/spot/MSFT-USD/1d.csv')).toBe(before);
  });
});

describe('bars', () => {
  test('the newest bars as a table, all of them as a chart', async () => {
    const { code, output } = await admin('bars', 'stock:TXN:NASDAQ:spot:usd', '--from', '2014-07-01');
    const lines = output.split('\n');
    expect(lines[0]).toBe('stock:TXN:NASDAQ:spot:USD from bar-files: 1d; end_of_day, since 2000-01-03');
    expect(lines[1]).toMatch(/^Its regime at 2014-08-08 20:00Z is (up|range|down)_(low|mid|high): /);
    expect(lines[2]).toMatch(/^start +end +open +high +low +close +volume +split +total$/);
    expect(output).toContain('2014-08-08 13:30Z  2014-08-08 20:00Z');
    expect(output).toContain('... and 8 before them');
    expect(output.match(/●/g)).toHaveLength(28);
    expect(lines.at(-1)).toMatch(/^ +2014-07-01 +2014-08-08$/);
    expect(code).toBe(0);
  });

  test('the regime is that of the end asked for', async () => {
    const { output } = await admin('bars', 'stock:TXN:NASDAQ:spot:USD', '--from', '2008-09-01', '--to', '2008-10-14');
    expect(output).toMatch(
      /^Its regime at 2008-10-14 20:00Z is down_high: volatility 0\.\d\d, trend 0\.\d\d, of 0 to 1$/m,
    );
  });

  test('without times the newest there are', async () => {
    const { code, output } = await admin('bars', 'crypto:BTC-USD:coinbase:spot:USD');
    expect(output).toContain('2017-07-04 00:00Z');
    expect(output.match(/●/g)).toHaveLength(72);
    expect(code).toBe(0);
  });

  test.each([
    [['crypto:NOCOIN:KRAKEN:spot:USD'], 1, 'No source knows'],
    [['stock:TXN:NASDAQ:spot:USD', '--size', '1m'], 1, 'There are no 1m bars of it.'],
    [
      ['stock:TXN:NASDAQ:spot:USD', '--from', '2020-01-01', '--to', '2020-02-01'],
      1,
      'There are no 1d bars from 2020-01-01T00:00:00.000Z to ',
    ],
    [['TXN'], 2, 'names no instrument'],
    [['stock:TXN:MARS:spot:USD'], 2, 'venue is not supported'],
    [['stock:TXN:NASDAQ:spot:USD', '--size', '2d'], 2, '--size 2d'],
    [['stock:TXN:NASDAQ:spot:USD', '--from', 'yesterday'], 2, '--from yesterday is not a time'],
    [['stock:TXN:NASDAQ:spot:USD', '--frm', '2020-01-01'], 2, 'npm run admin -- bars IDENTITY'],
  ])('%j ends with %i', async (args, expected, line) => {
    const { code, output } = await admin('bars', ...args);
    expect([code, output]).toEqual([expected, expect.stringContaining(line)]);
  });
});

describe('base-rates', () => {
  const TXN = 'stock:TXN:NASDAQ:spot:USD';

  test('the shares of each direction over all past windows', async () => {
    const { code, output } = await admin('base-rates', TXN, '--horizon', 'trading_days:1');
    expect(output.split('\n')).toEqual([
      `${TXN} from bar-files: 1d bars from 2000-01-03T14:30:00.000Z to 2014-08-08T20:00:00.000Z`,
      '3662 of 3673 windows are graded by eval/3; not graded: 11 insufficient_history',
      'direction  strong_correct  weak_correct  weak_incorrect  strong_incorrect',
      '---------  --------------  ------------  --------------  ----------------',
      'bullish    26.0 %          25.3 %        24.0 %          24.7 %',
      expect.stringMatching(/^bearish {4}24\.7 %/),
      expect.stringMatching(/^neutral {4}24\.9 %/),
    ]);
    expect(code).toBe(0);
  });

  test('from a time on, as JSON', async () => {
    const from = ['--from', '2014-01-01'];
    const { output } = await admin('base-rates', TXN, '--horizon', 'holding_seconds:1728000', ...from, '--json');
    const report = JSON.parse(output);
    expect(report).toMatchObject({ instrument: TXN, fault: null, bar_size: '1d', from: '2014-01-02T14:30:00.000Z' });
    expect(report).toMatchObject({ horizon_kind: 'holding_seconds', horizon_value: 1_728_000, method: 'eval/3' });
    const { bullish, bearish } = report.counts;
    expect(bullish.strong_correct).toBe(bearish.strong_incorrect);
    expect(Object.values<number>(bullish).reduce((sum, count) => sum + count)).toBe(report.graded);
  });

  test.each([
    [['crypto:NOCOIN:KRAKEN:spot:USD', '--horizon', 'trading_days:1'], 1, 'No source knows'],
    [[TXN, '--horizon', 'trading_days:1', '--from', '2020-01-01'], 1, 'There are no 1d bars of it'],
    [[TXN], 2, 'Send --horizon trading_days:5'],
    [[TXN, '--horizon', '5'], 2, 'Send --horizon trading_days:5'],
    [[TXN, '--horizon', 'trading_days:253'], 2, 'from 1 to 252'],
    [['--horizon', 'trading_days:5'], 2, 'Name one instrument.'],
  ])('%j ends with %i', async (args, expected, line) => {
    const { code, output } = await admin('base-rates', ...args);
    expect([code, output]).toEqual([expected, expect.stringContaining(line)]);
  });
});

test('refresh queues a verification once, and says who asked', async () => {
  const first = await admin('refresh', 'crypto:eth/usd:kraken:spot:usd');
  expect([first.code, first.output]).toEqual([
    0,
    expect.stringMatching(/^crypto:ETH:KRAKEN:spot:USD: queued, job \S+$/),
  ]);
  const second = await admin('refresh', 'crypto:ETH:KRAKEN:spot:USD');
  expect(second.output).toBe(first.output.replace('queued', 'already queued'));
  expect(await opened.storage.audit.about('crypto:ETH:KRAKEN:spot:USD', 10)).toMatchObject([
    { actor: operatorName(), detail: { status: 'already_queued' } },
    { actor: operatorName(), detail: { status: 'queued' } },
  ]);
});

describe('sources', () => {
  const now = () => opened.storage.clock.now();
  const report = {
    source: 'kraken',
    serves: 'KRAKEN',
    failures: 0,
    last_error: null,
    last_error_at: null,
    last_success_at: new Date('2026-03-02T11:59:00Z'),
  };

  test('prints which source serves what, by the reports of running processes in the last minute', async () => {
    await opened.storage.sourceHealth.record('a:1', [{ ...report, state: 'healthy' }], await now());
    const before = new Date((await now()).getTime() - 61_000);
    await opened.storage.sourceHealth.record('ended:2', [{ ...report, state: 'paused' }], before);
    const { code, output } = await admin('sources');
    expect(output.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'source | serves | process | state | failures | last success | last error | error',
      expect.stringMatching(/^[- |]+$/),
      expect.stringMatching(/^bar-files \| \d+ instruments \| healthy$/),
      'kraken | KRAKEN | a:1 | healthy | 0 | 2026-03-02T11:59:00Z | never',
      'US symbols: the packaged ones; none have been fetched yet.',
      'The service calls no source on the network (MARKET_DATA_NETWORK=false).',
    ]);
    expect(code).toBe(0);
  });

  test('a source that is paused is exit code 1, with the text of its last error', async () => {
    const failed = {
      state: 'paused' as const,
      failures: 7,
      last_error: 'answered 503',
      last_error_at: new Date(report.last_success_at),
    };
    await opened.storage.sourceHealth.record('b:3', [{ ...report, ...failed }], await now());
    const { code, output } = await admin('sources');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/kraken +KRAKEN +b:3 +paused +7 +2026-03-02T11:59:00Z +2026-03-02T11:59:00Z +answered 503/),
    ]);
    await opened.storage.sourceHealth.record('b:3', [], await now());
  });
});
