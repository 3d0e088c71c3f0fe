import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { barFiles } from '../../../../adapters/market/files/bar-files.ts';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { readStatus } from '../../../../application/operators/read-status.ts';
import type { UnexplainedLeap } from '../../../../domain/grading/unexplained-leaps.ts';
import { utcDate } from '../../../../domain/time.ts';
import { instrumentIn } from '../../../../infrastructure/commands/command.ts';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { type OpenedDatabase, onMemory, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { amchartsBars } from '../../../domain/market/real-bars.ts';
import { NO_BACKUPS } from '../../../harness/made-backups.ts';

const form = ['--size', '1d'];

let opened: OpenedDatabase;
let folder: string;
let bars: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stancebook-actions-'));
  bars = join(folder, 'bars');
  opened = await onPostgres(2);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await opened.close();
});

async function admin(...args: readonly string[]) {
  const secret = 'a secret of the tests, long enough for them';
  const environment = {
    ...{ PATH: process.env.PATH, DATABASE_URL: opened.serviceUrl, SESSION_SECRET: secret, PASSWORD_PEPPER: secret },
    ...{ DATA_DIR: folder, MARKET_DATA_BARS_DIR: bars, MARKET_DATA_NETWORK: 'false' },
  };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const code = await runCommand(args, environment, { print: say, complain: say });
  return { code, output: lines.join('\n') };
}

async function file(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.join('\n'));
  return path;
}

const stored = (path: string) => readFile(join(bars, path), 'utf8');

describe('import-bars of prices that leap', () => {
  const GLOW = 'stock:GLOW:NASDAQ:spot:USD';
  /** Sessions of January 2024; from the 10th on at `factor` times the price. */
  const leaping = (factor: number) => {
    const dates = ['02', '03', '04', '05', '08', '09', '10', '11', '12', '16', '17'];
    const rows = dates.map((date, i) => {
      const [open, close] = [100 + i, 100.5 + i].map((price) => (date < '10' ? price : price * factor));
      return `2024-01-${date},${open},${Number(close) + 1},${Number(open) - 1},${close},1000`;
    });
    return file('leap.csv', 'Date,Open,High,Low,Close,Volume', ...rows);
  };
  const withStray = (row: string) => (row.startsWith('2024-01-05') ? '2024-01-05,103,10351,102,10350,1000' : row);
  const actionsOf = (...rows: readonly string[]) => file('leap-actions.csv', 'at,kind,value', ...rows);

  test('each leap that nothing explains is listed with what answers it', async () => {
    const path = await leaping(2);
    const unexplained = await admin('import-bars', path, GLOW, ...form, '--dry-run', '--json');
    const { unexplained_leaps } = JSON.parse(unexplained.output);
    expect(unexplained_leaps).toEqual([
      {
        ...{ at: '2024-01-10T14:30:00.000Z', from: 105.5, to: 212, ratio: 212 / 105.5 },
        answer: expect.stringMatching(
          /^In --actions send 2024-01-10,split,0.4976 .*2024-01-10,none if .*--actions-until/,
        ),
      },
    ]);
    const none = await actionsOf('2024-01-10,none');
    const real = await admin('import-bars', path, GLOW, ...form, '--dry-run', '--actions', none);
    expect([real.code, real.output.includes('leaps from')]).toEqual([0, false]);
  });

  test('a price that gradings leave out is named, and is imported as it is', async () => {
    const path = await file('stray.csv', ...(await readFile(await leaping(1), 'utf8')).split('\n').map(withStray));
    const { code, output } = await admin('import-bars', path, GLOW, ...form, '--check');
    const named = '2024-01-05T21:00:00.000Z: the close 10350 is far from the prices before and after it';
    expect([code, output]).toEqual([0, expect.stringContaining(named)]);
    const reported = await admin('import-bars', path, GLOW, ...form, '--check', '--json');
    expect(JSON.parse(reported.output)).toMatchObject({
      ...{ usable: 11, unexplained_leaps: [] },
      prices_left_out: [{ time: '2024-01-05T21:00:00.000Z', at: 'close', price: 10350 }],
    });
  });

  test('a far price at the end of a file is named, because nothing shows yet whether it lasts', async () => {
    const last = (await readFile(await leaping(1), 'utf8')).replace(/(2024-01-17,110),.*$/, '$1,11051,109,11050,1000');
    const { output } = await admin('import-bars', await file('end.csv', last), GLOW, ...form, '--check');
    expect(output).toMatch(/2024-01-17T21:00.*from the close 11050 on .* flagged suspected_price\. Correct them/);
    const reported = await admin('import-bars', join(folder, 'end.csv'), GLOW, ...form, '--check', '--json');
    expect(JSON.parse(reported.output)).toMatchObject({
      open_run: { time: '2024-01-17T21:00:00.000Z', at: 'close', price: 11050 },
      prices_left_out: [],
    });
  });

  test('a leap takes one split: a second one that is dated one session before or after it is refused', async () => {
    const path = await leaping(1 / 3);
    for (const [dates, refused] of [
      [['2024-01-09'], null],
      [['2024-01-11'], null],
      [['2024-01-09', '2024-01-11'], '2024-01-11'],
      [['2024-01-10', '2024-01-11'], '2024-01-11'],
      [['2024-01-09', '2024-01-10'], '2024-01-09'],
    ] as const) {
      const actions = await actionsOf(...dates.map((date) => `${date},split,3`));
      const { code, output } = await admin('import-bars', path, GLOW, ...form, '--actions', actions, '--check');
      const why = expect.stringContaining(`the action of ${refused} does not fit the prices of its night`);
      expect([dates, code, output]).toEqual([dates, refused ? 1 : 0, refused ? why : expect.any(String)]);
    }
  });

  test('the longest run of one price has the time of its first bar as text', async () => {
    const rows = ['03', '04', '05', '08', '09', '10'].map((date) => `2024-01-${date},100,100,100,100`);
    const path = await file('still.csv', 'Date,Open,High,Low,Close', '2024-01-02,99,101,98,100', ...rows);
    const { output } = await admin('import-bars', path, GLOW, ...form, '--check', '--json');
    const found = JSON.parse(output);
    expect(found.longest_flat_run).toEqual({ bars: 6, price: 100, from: '2024-01-03T14:30:00.000Z' });
    const moving = await admin('import-bars', await leaping(1), GLOW, ...form, '--check', '--json');
    expect(JSON.parse(moving.output)).toMatchObject({ longest_flat_run: null });
  });

  test.each([
    ['with', 3],
    ['without', 2],
  ])('an action on a day without a session is refused by its line, %s a header', async (header, line) => {
    const rows = ['2024-01-10,dividend,1', '2024-01-13,dividend,1'];
    const saturday = header === 'with' ? await actionsOf(...rows) : await file('saturday.csv', ...rows);
    const { code, output } = await admin('import-bars', await leaping(1), GLOW, ...form, '--actions', saturday);
    const why = `line ${line}: the venue has no session on 2024-01-13`;
    expect([code, output]).toEqual([1, expect.stringContaining(why)]);
  });

  test('an action that the prices contradict, or that cannot be, is refused with what to send', async () => {
    const path = await leaping(1);
    const split = await actionsOf('2024-01-10,split,2');
    const refused = await admin('import-bars', path, GLOW, ...form, '--actions', split);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('send --already-adjusted')]);
    expect(refused.output).toContain('the action of 2024-01-10 does not fit the prices');
    const pence = await actionsOf('2024-01-10,dividend,95');
    const dear = await admin('import-bars', path, GLOW, ...form, '--actions', pence);
    expect([dear.code, dear.output]).toEqual([1, expect.stringContaining('pence for GBX')]);
    await expect(stored('stock/NASDAQ/spot/GLOW-USD/manifest.json')).rejects.toThrow('ENOENT');
  });

  test('prices that are adjusted already are stored as they were traded, with what else is stated', async () => {
    const actions = await actionsOf('2024-01-10,split,2', '2024-01-11,none');
    const stated = ['--actions-until', '2024-01-31', '--listed', '2024-01-03'];
    const terms = ['--actions', actions, '--already-adjusted', ...stated];
    const { code } = await admin('import-bars', await leaping(1), GLOW, ...form, ...terms);
    expect(code).toBe(0);
    const folder = 'stock/NASDAQ/spot/GLOW-USD';
    expect((await stored(`${folder}/1d.csv`)).split('\n')[1]).toContain(',200,203,198,201,500');
    expect(await stored(`${folder}/actions.csv`)).toBe(
      'at,kind,value\n2024-01-10T14:30:00Z,split,2\n2024-01-11T14:30:00Z,none,\n',
    );
    const manifest = JSON.parse(await stored(`${folder}/manifest.json`));
    expect(manifest).toMatchObject({ actions_until: '2024-01-31', listed_on: '2024-01-03' });
    const known = await barFiles(bars).actions?.(instrumentIn(GLOW), 0);
    expect(known).toEqual({
      actions: [{ at: Date.parse('2024-01-10T14:30:00Z'), kind: 'split', value: 2, source: 'bar-files' }],
      lists: [{ source: 'bar-files', from: '2024-01-02', until: '2024-01-31' }],
      none: ['2024-01-11'],
      listed_on: '2024-01-03',
    });
    const wrong = await admin('import-bars', 'x.csv', GLOW, ...form, '--listed', '2024-02-30');
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining('is no date, such as 2021-01-28')]);
  });

  test('a split after the newest row of adjusted prices is refused; raw prices keep it for later rows', async () => {
    const path = await leaping(1);
    const terms = ['--check', '--actions', await actionsOf('2024-01-18,split,2')];
    const adjusted = await admin('import-bars', path, FRESH, ...form, ...terms, '--already-adjusted');
    expect([adjusted.code, adjusted.output]).toEqual([
      1,
      expect.stringContaining('2024-01-18 has a split after the newest row: nothing shows whether'),
    ]);
    const raw = await admin('import-bars', path, FRESH, ...form, ...terms, '--json');
    expect([raw.code, JSON.parse(raw.output).actions]).toEqual([0, { stored: 1, in_prices: 0, faults: [] }]);
  });

  test('an action is stored as the file dates it, where the prices show it one session later too', async () => {
    const split = await actionsOf('2024-01-09,split,0.5');
    const late = await admin('import-bars', await leaping(2), LATE, ...form, '--actions', split, '--json');
    expect(JSON.parse(late.output)).toMatchObject({ imported: true, unexplained_leaps: [], actions: { stored: 1 } });
    expect(await stored('stock/NASDAQ/spot/LATE-USD/actions.csv')).toBe(
      'at,kind,value\n2024-01-09T14:30:00Z,split,0.5\n',
    );
  });

  test('equal rows are one, different dividends of a date stay, two splits of a date are refused', async () => {
    const rows = ['2024-01-10,dividend,1', '2024-01-10,dividend,1', '2024-01-10,dividend,2', '2024-01-09,dividend,3'];
    const path = await leaping(1);
    const merged = await admin('import-bars', path, TWICE, ...form, '--actions', await actionsOf(...rows));
    expect(merged.code).toBe(0);
    expect((await stored('stock/NASDAQ/spot/TWICE-USD/actions.csv')).trimEnd().split('\n').slice(1)).toEqual([
      '2024-01-09T14:30:00Z,dividend,3',
      '2024-01-10T14:30:00Z,dividend,1',
      '2024-01-10T14:30:00Z,dividend,2',
    ]);
    const splits = await actionsOf('2024-01-10,split,2', '2024-01-10,split,3');
    const refused = await admin('import-bars', path, TWICE, ...form, '--replace', '--actions', splits, '--json');
    const { imported, actions } = JSON.parse(refused.output);
    expect([refused.code, imported]).toEqual([1, false]);
    expect(actions.faults).toContainEqual('2024-01-10 has two splits: send one row with their product');
  });

  test('a dividend on the date of a split is per new share', async () => {
    const path = await leaping(0.5);
    const of = (dividend: number) => actionsOf('2024-01-10,split,2', `2024-01-10,dividend,${dividend}`);
    const check = ['--check', '--actions'];
    expect((await admin('import-bars', path, FRESH, ...form, ...check, await of(5))).code).toBe(0);
    // Of the price before the split it would be half.
    const dear = await admin('import-bars', path, FRESH, ...form, ...check, await of(52));
    expect([dear.code, dear.output]).toEqual([1, expect.stringContaining('has a dividend of 52')]);
  });

  test('a split that the raw prices do not show is refused where adjusted closes stand in for it too', async () => {
    const rows = ['08', '09', '10', '11'].map((day) => `2024-01-${day},10,11,9,10,1000,9.9`);
    const path = await file('adjusted.csv', 'Date,Open,High,Low,Close,Volume,Adj Close', ...rows);
    const split = await actionsOf('2024-01-10,split,2');
    const refused = await admin('import-bars', path, FRESH, ...form, '--actions', split);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('the action of 2024-01-10 does not')]);
    const wrong = rows.map((row, i) => (i < 2 ? row.replace(/9\.9$/, '4') : row));
    const stepped = await file('stepped.csv', 'Date,Open,High,Low,Close,Volume,Adj Close', ...wrong);
    const step = await admin('import-bars', stepped, FRESH, ...form);
    expect([step.code, step.output]).toEqual([1, expect.stringContaining('or the step of adj_close there')]);
  });

  test('dividends are left out where the file says that its prices are adjusted', async () => {
    const rows = ['08', '09', '10', '11'].map((day) => `2024-01-${day} 00:00:00-05:00,10,11,9,10,1000,0,0`);
    const path = await file('yf.csv', 'Date,Open,High,Low,Close,Volume,Dividends,Stock Splits', ...rows);
    const actions = await actionsOf('2024-01-10,split,2', '2024-01-09,dividend,0.5', '2024-01-11,none');
    const terms = ['--actions', actions, '--already-adjusted', '--json'];
    const { output } = await admin('import-bars', path, PAID, ...form, ...terms);
    expect(JSON.parse(output)).toMatchObject({ imported: true, actions: { stored: 1, in_prices: 1, faults: [] } });
    expect(await stored('stock/NASDAQ/spot/PAID-USD/actions.csv')).toBe(
      'at,kind,value\n2024-01-10T14:30:00Z,split,2\n2024-01-11T14:30:00Z,none,\n',
    );
  });

  test.each([
    // The prices are half of what was traded before the split; dividends are not in them.
    ['split', [10, 10], ['20', '10'], { stored: 2, in_prices: 0, faults: [] }],
    // The prices are those that were traded, less dividends.
    ['dividends', [20, 10], ['20', '10'], { stored: 1, in_prices: 1, faults: [] }],
    ['split,dividend', [10, 10], ['20', '10'], { stored: 1, in_prices: 1, faults: [] }],
  ])('of prices adjusted for %s only these actions are in them', async (word, [before, after], traded, counts) => {
    const rows = ['08', '09', '10', '11'].map((day) => {
      const close = Number(day < '10' ? before : after);
      return `2024-01-${day},${close},${close + 1},${close - 1},${close},1000,"${word}"`;
    });
    const path = await file('worded.csv', 'Date,Open,High,Low,Close,Volume,Adjustment', ...rows);
    const actions = await actionsOf('2024-01-10,split,2', '2024-01-09,dividend,0.5');
    const terms = ['--actions', actions, '--already-adjusted', '--replace', '--json'];
    const { output } = await admin('import-bars', path, WORDED, ...form, ...terms);
    expect(JSON.parse(output)).toMatchObject({ imported: true, actions: counts, adjusted: `adjustment is ${word}` });
    const lines = (await stored('stock/NASDAQ/spot/WORDED-USD/1d.csv')).split('\n').slice(1, 5);
    expect(lines.map((line) => line.split(',')[5]).filter((_, i) => i % 3 === 0)).toEqual(traded);
    const kinds = (await stored('stock/NASDAQ/spot/WORDED-USD/actions.csv'))
      .split('\n')
      .map((row) => row.split(',')[1]);
    expect(kinds.includes('dividend')).toBe(counts.in_prices === 0);
  });

  test('actions that contradict the prices are refused; prices adjusted for splits become those that were traded', async () => {
    const prices = await file(
      'flat.csv',
      'date,open,high,low,close',
      ...['23', '24', '25', '26'].map((day) => `2026-02-${day},10,11,9,10`),
    );
    const actions = await file(
      'split.csv',
      'at,kind,value',
      '2026-02-25,split,2',
      '2026-02-24,none',
      '2026-02-26,dividend,0.1',
    );
    const flat = 'stock:FLAT:NYSE:spot:USD';
    const refused = await admin('import-bars', prices, flat, ...form, '--actions', actions);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /the action of 2026-02-25 does not fit the prices of its night: send --already-adjusted/,
      ),
    });
    await expect(stored('stock/NYSE/spot/FLAT-USD/manifest.json')).rejects.toThrow('ENOENT');
    const dated = ['--actions-until', '2026-03-31', '--listed', '2026-02-23'];
    const taken = await admin(
      'import-bars',
      prices,
      flat,
      ...form,
      '--actions',
      actions,
      '--already-adjusted',
      ...dated,
    );
    expect(taken.code).toBe(0);
    expect(await stored('stock/NYSE/spot/FLAT-USD/actions.csv')).toBe(
      'at,kind,value\n2026-02-25T14:30:00Z,split,2\n2026-02-26T14:30:00Z,dividend,0.1\n2026-02-24T14:30:00Z,none,\n',
    );
    const lines = (await stored('stock/NYSE/spot/FLAT-USD/1d.csv')).split('\n').slice(1, 5);
    expect(lines.map((line) => line.split(',')[5])).toEqual(['20', '20', '10', '10']);
    expect(JSON.parse(await stored('stock/NYSE/spot/FLAT-USD/manifest.json'))).toMatchObject({
      source: 'import of flat.csv (adjusted prices)',
      actions_until: '2026-03-31',
      listed_on: '2026-02-23',
    });
    await admin('import-bars', prices, flat, ...form, '--replace');
    expect(JSON.parse(await stored('stock/NYSE/spot/FLAT-USD/manifest.json'))).toMatchObject({
      actions_until: '2026-03-31',
    });
  });

  test('the status lists the leap for which a decision waits as the import lists it', async () => {
    const days = amchartsBars('MSFT').filter(({ start }) => utcDate(start) > '2002-06' && utcDate(start) < '2003-06');
    const rows = days.map((bar) => [utcDate(bar.start), bar.open, bar.high, bar.low, bar.close, bar.volume].join());
    const path = await file('msft.csv', 'Date,Open,High,Low,Close,Volume', ...rows);
    const imported = await admin('import-bars', path, LEAPS, ...form, '--json');
    const { unexplained_leaps } = JSON.parse(imported.output);
    const waits = await waitingOn('LEAPS');
    const sentences = unexplained_leaps.map(
      ({ from, to, at }: UnexplainedLeap) =>
        `The price leaps from ${from} to ${to} at ${at}, and nothing explains it yet.`,
    );
    expect(sentences).toHaveLength(1);
    expect(waits).toEqual(
      sentences.map((sentence: string) => `Decisions on ${LEAPS} wait: suspected_split: ${sentence}`),
    );
  });
});

const WORDED = 'stock:WORDED:NASDAQ:spot:USD';
const [LATE = '', TWICE = '', PAID = '', FRESH = '', LEAPS = ''] = ['LATE', 'TWICE', 'PAID', 'FRESH', 'LEAPS'].map(
  (symbol) => `stock:${symbol}:NASDAQ:spot:USD`,
);

/** The problems of the evaluations, once a decision over the split of MSFT of 2003-02-18 waits, on the imported bars. */
async function waitingOn(symbol: string): Promise<readonly string[]> {
  const memory = await onMemory();
  await memory.arrange.freeze(new Date('2003-02-13T14:00:00Z'));
  const bench = await sweepBench(memory, barFiles(bars));
  const stock = { market: 'stock', symbol, venue: 'NASDAQ', quote_currency: 'USD' } as const;
  const id = await bench.submit({ ...stock, horizon_kind: 'trading_days', horizon_value: 5 });
  await verifyInstruments(bench.ports);
  let next: Date | null = (await bench.read(id)).settles_at;
  while (next && (await bench.read(id)).lifecycle_state === 'verified') {
    await bench.arrange.freeze(next);
    next = (await evaluateDue(bench.ports)).next;
  }
  const settings = { logPolicy: null, timestampAuthorities: [], watchesPegs: false, expectsBackups: false };
  const { problems } = await readStatus({ ...memory.storage, replicaLag: null, backupMaker: NO_BACKUPS, settings });
  const own = problems.filter(({ part }) => part === 'evaluations');
  expect(own.map(({ instrument }) => instrument)).toEqual(own.map(() => `stock:${symbol}:NASDAQ:spot:USD`));
  return own.map(({ problem }) => problem);
}
