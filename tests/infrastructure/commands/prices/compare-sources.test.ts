import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { evaluateDue } from '../../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../../application/market/verify-instruments.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';
import { openMarketData } from '../../../../infrastructure/compose/market-sources.ts';
import { readConfig } from '../../../../infrastructure/config/config.ts';
import { sweepBench } from '../../../application/grading/bench.ts';
import { NOON, type OpenedDatabase, onPostgres } from '../../../contracts/decisions/adapters.ts';
import { runAdmin } from '../../../harness/admin-command.ts';

import { type BinanceServer, binanceServer } from '../../../harness/exchanges/binance-server.ts';
import { type CoinbaseServer, coinbaseServer } from '../../../harness/exchanges/coinbase-server.ts';
import { type MadeSeries, priceAt } from '../../../harness/exchanges/made-series.ts';
import { testTools } from '../../../harness/exchanges/source-tools.ts';

const EVALUATED = NOON.getTime() + 2 * HOUR;
/** The start of the minute whose close is the exit of a decision for an hour from noon. */
const LAST_MINUTE = NOON.getTime() + HOUR - MINUTE;
const BTC = 'crypto:BTC:COINBASE:spot:USD';

let opened: OpenedDatabase;
let folder: string;
let coinbase: CoinbaseServer;
let binance: BinanceServer;
let ids: { readonly bitcoin: readonly string[]; readonly ether: string };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-compare-'));
  opened = await onPostgres(4);
  coinbase = await coinbaseServer();
  binance = await binanceServer();
  for (const product of ['BTC-USD', 'ETH-USD']) coinbase.products.set(product, { status: 'online', series: series() });
  const { marketData } = readConfig({ DATA_DIR: folder, MARKET_DATA_COINBASE_URL: coinbase.url });
  const tools = testTools(EVALUATED);
  const bench = await sweepBench(opened, openMarketData(marketData, tools.log, tools.timing).marketData);
  const [first, second] = [await bench.submit(), await bench.submit()];
  ids = { bitcoin: [first, second].toSorted(), ether: await bench.submit({ symbol: 'ETH' }) };
  await verifyInstruments(bench.ports);
  await opened.arrange.advance(2 * HOUR);
  expect(await evaluateDue(bench.ports)).toMatchObject({ ended: 3 });
});
afterAll(async () => {
  for (const server of [coinbase, binance]) await server.close();
  await opened.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => quote());

function series(wrong: MadeSeries['wrong'] = new Map()): MadeSeries {
  const since = NOON.getTime() - 500 * DAY;
  return { since, now: EVALUATED, quiet: new Set(), wrong, until: Number.POSITIVE_INFINITY };
}

/** Binance has bitcoin with these bars instead of those that Coinbase has. */
function quote(wrong: MadeSeries['wrong'] = new Map()): void {
  binance.pairs.set('BTCUSD', { base: 'BTC', quote: 'USD', status: 'TRADING', series: series(wrong) });
}

/** Binance ends the window at a price that differs by a share from that of Coinbase. */
function quoteExit(share: number): void {
  const close = (priceAt(LAST_MINUTE + MINUTE) * (1 + share)).toFixed(8);
  const open = priceAt(LAST_MINUTE).toFixed(8);
  const [low, high] = [open, close].toSorted((a, b) => Number(a) - Number(b)) as [string, string];
  quote(new Map([[LAST_MINUTE, { open, high, low, close }]]));
}

const BOTH = { MARKET_DATA_CRYPTO: 'COINBASE:coinbase+binance' };

function compare(args: readonly string[] = [], env: NodeJS.ProcessEnv = BOTH) {
  const urls = { MARKET_DATA_COINBASE_URL: coinbase.url, MARKET_DATA_BINANCE_URL: binance.url };
  return runAdmin(opened.serviceUrl, folder, ['compare-sources', ...args], { ...urls, ...env });
}

const cells = (output: string) => output.split('\n').map((line) => line.split(/ {2,}/));

test('with equal prices every bucket is the same, and a source that lacks an instrument is named', async () => {
  const { code, output } = await compare();
  const lines = cells(output);
  const [entry, exit] = [`${priceAt(NOON.getTime())}`.slice(0, 6), `${priceAt(LAST_MINUTE + MINUTE)}`.slice(0, 6)];
  const [entries, exits] = [expect.stringContaining(entry), expect.stringContaining(exit)];
  const bucket = expect.stringMatching(/^(weak|strong)_correct$/);
  for (const id of ids.bitcoin)
    expect(lines).toContainEqual([
      ...[id, 'BTC', 'coinbase', bucket, 'binance', bucket],
      ...[entries, entries, '0.0', exits, exits, '0.0'],
    ]);
  expect(output).toMatch(
    new RegExp(`${ids.ether} .* binance .* binance does not know crypto:ETH:COINBASE:spot:USD$`, 'm'),
  );
  expect(output).toContain('Drawn at random: 3 of 3 grades.');
  expect(output).not.toContain('nothing to compare');
  expect(lines.at(-1)).toEqual([
    '3 grades: 2 with the same bucket by another source, 0 with another bucket, 1 without another source; ' +
      'largest difference of an entry or exit 0.0 bp',
  ]);
  expect(code).toBe(0);
});

test('another price that leaves the bucket as it is counts as a difference in basis points alone', async () => {
  quoteExit(0.000_31);
  const { code, output } = await compare();
  expect(output).toContain('2 with the same bucket by another source, 0 with another bucket');
  expect(output).toContain('largest difference of an entry or exit 3.1 bp');
  expect(code).toBe(0);
});

test('another bucket is exit code 1, and the JSON report has both grades', async () => {
  quoteExit(-0.05);
  const { code, output } = await compare(['--json']);
  const { grades, ...summary } = JSON.parse(output);
  expect(code).toBe(1);
  expect(summary).toEqual({
    ...{ graded: 3, same: 0, different: 2, without: 1 },
    largest_difference_bp: expect.closeTo(500, 0),
  });
  expect(grades.find(({ record_id }: { record_id: string }) => record_id === ids.bitcoin[0])).toEqual({
    ...{ record_id: ids.bitcoin[0], fault: null, instrument: BTC, source: 'coinbase' },
    ...{ result_bucket: expect.stringMatching(/_correct$/), entry_price: expect.any(Number) },
    exit_price: expect.any(Number),
    others: [
      {
        ...{ source: 'binance', fault: null, result_bucket: 'strong_incorrect', entry_price: expect.any(Number) },
        ...{ exit_price: expect.any(Number), entry_bp: 0, exit_bp: expect.closeTo(-500, 0) },
      },
    ],
  });
});

test('the source of the outcome gets no request, and nothing is stored', async () => {
  const count = `select sum((xpath('/row/n/text()', query_to_xml(format('select count(*) as n from app.%I', relname),
    false, true, '')))[1]::text::int) as rows from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r'`;
  const rows = async () => Number((await opened.owner.query(count)).rows[0].rows);
  const [stored, requests] = [await rows(), coinbase.asked.length];
  expect(stored).toBeGreaterThan(20);
  expect((await compare()).code).toBe(0);
  expect(await rows()).toBe(stored);
  expect(coinbase.asked).toHaveLength(requests);
});

test('a source that fails is a fault of the comparison, not another bucket', async () => {
  binance.faults.push({ kind: 'status', status: 403 });
  const { code, output } = await compare();
  expect(output).toContain('binance answered 403');
  expect(output).toContain('3 grades: 0 with the same bucket by another source, 0 with another bucket, 3 without');
  expect(code).toBe(0);
});

describe('what is drawn', () => {
  test('as many as were asked for', async () => {
    const { output } = await compare(['--sample', '1']);
    expect(output).toContain('Drawn at random: 1 of 3 grades.');
    expect(output).toContain('\n1 grade: ');
  });

  test('those that were evaluated since a time', async () => {
    const since = async (time: number) => (await compare(['--since', new Date(time).toISOString()])).output;
    expect(await since(EVALUATED - MINUTE)).toContain('Drawn at random: 3 of 3 grades.');
    expect(await since(EVALUATED + HOUR)).toBe(
      'Drawn at random: 0 of 0 grades.\n' +
        '0 grades: 0 with the same bucket by another source, 0 with another bucket, 0 without another source',
    );
  });
});

test('with one source it says that there is nothing to compare with, and what to configure', async () => {
  const { code, output } = await compare([], { MARKET_DATA_CRYPTO: 'COINBASE:coinbase' });
  expect(output).toContain('3 grades: 0 with the same bucket by another source, 0 with another bucket, 3 without');
  expect(output).toContain('There is nothing to compare with: no other source gave a grade.');
  expect(output).toContain('MARKET_DATA_CRYPTO=COINBASE:coinbase+kraken');
  expect(code).toBe(0);
});

test.each([
  [['--sample', '0']],
  [['--sample', '1001']],
  [['--sample', 'all']],
  [['--since', 'yesterday']],
  [['--source', 'kraken']],
  [['dec_20260302_5c0ffee5']],
])('called with %j it shows how to call it: exit code 2', async (args: readonly string[]) => {
  const { code, output } = await compare(args);
  expect(output).toContain('npm run admin -- compare-sources [--sample N] [--since DATE]');
  expect(code).toBe(2);
});

test('a grade whose evidence is gone counts as not compared, with the reason', async () => {
  const guard = (state: string) => opened.owner.query(`alter table app.outcome_evidence ${state} trigger evidence`);
  await guard('disable');
  await opened.owner.query('delete from app.outcome_evidence where record_id = $1', [ids.ether]);
  await guard('enable always');
  const { code, output } = await compare();
  expect(cells(output)).toContainEqual([ids.ether, 'No evidence was kept with its outcome, or it is gone.']);
  expect(output).toContain('3 grades: 2 with the same bucket by another source, 0 with another bucket, 1 without');
  expect(code).toBe(0);
});
