import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commonExample } from '../../../adapters/http/shapes/decisions/decision-parts.ts';
import { factsExample, outcomeExample } from '../../../adapters/http/shapes/decisions/outcome.ts';
import { barFiles } from '../../../adapters/market/files/bar-files.ts';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { type OpenedDatabase, onPostgres } from '../../contracts/decisions/adapters.ts';
import { packagedBars } from '../../harness/packaged-bars.ts';
import { type SweepBench, sweepBench } from './bench.ts';

const FIVE_SESSIONS = { market: 'stock', horizon_kind: 'trading_days', horizon_value: 5 } as const;
const MSFT = { ...FIVE_SESSIONS, symbol: 'MSFT', venue: 'NASDAQ' };
const SPX = { ...FIVE_SESSIONS, symbol: 'SPX', venue: 'NYSE' };
const PUFA = { market: 'stock', symbol: '600000', venue: 'SSE', quote_currency: 'CNY' } as const;

/** Each anchored before the open of its first session, but the lunch break of Shanghai. */
const CALLS = {
  msft: { ...MSFT, data_cutoff: '2003-02-13T14:00:00Z' },
  lehman: { ...SPX, data_cutoff: '2008-09-15T12:00:00Z' },
  calm: { ...SPX, data_cutoff: '2008-09-15T12:00:00Z', direction: 'neutral' },
  covid: { ...SPX, data_cutoff: '2020-03-09T12:00:00Z' },
  lunch: { ...PUFA, horizon_kind: 'holding_seconds', horizon_value: 7_200, data_cutoff: '2024-06-17T12:00:00+08:00' },
} as const;

let opened: OpenedDatabase;
let bench: SweepBench;
/** By eval/1, by eval/2, and by eval/3. */
const graded = new Map<string, Decision>();
const newer = new Map<string, Decision>();
const newest = new Map<string, Decision>();

beforeAll(async () => {
  opened = await onPostgres(4);
  bench = await sweepBench(opened, barFiles(await packagedBars()));
  for (const [name, call] of Object.entries(CALLS)) {
    const ids = await Promise.all(['eval/1', 'eval/2', 'eval/3'].map((method) => bench.submit(call, { method })));
    await verifyInstruments(bench.ports);
    expect(await evaluateDue(bench.ports)).toEqual({ ended: 3, more: false, next: null });
    const [first, second, third] = await Promise.all(ids.map(bench.read));
    if (first) graded.set(name, first);
    if (second) newer.set(name, second);
    if (third) newest.set(name, third);
  }
});
afterAll(async () => {
  await opened.close();
});

test.each([
  ['msft', 'strong_correct', 0.738692],
  ['lehman', 'weak_correct', 0.102497],
  ['calm', 'strong_correct', 0.102497],
  ['covid', 'strong_incorrect', -1.067895],
] as const)('%s is %s by %d sigmas', (name, bucket, z) => {
  expect(graded.get(name)).toMatchObject({ lifecycle_state: 'evaluated', result_bucket: bucket });
  expect(graded.get(name)?.facts?.z).toBeCloseTo(z, 6);
});

test.each([
  ['msft', 'strong_correct', 0.762872],
  ['lehman', 'weak_correct', 0.10278],
  ['calm', 'strong_correct', 0.10278],
] as const)('%s is %s by %d sigmas of eval/2', (name, bucket, z) => {
  expect(newer.get(name)).toMatchObject({ lifecycle_state: 'evaluated', result_bucket: bucket, method: 'eval/2' });
  expect(newer.get(name)?.facts?.z).toBeCloseTo(z, 6);
  expect(newest.get(name)?.facts).toMatchObject({ method: 'eval/3', z: newer.get(name)?.facts?.z });
});

test('MSFT across its split: raw prices as traded, returns and excursions adjusted', () => {
  const facts = graded.get('msft')?.facts;
  expect(facts).toMatchObject({ source: 'bar-files', bar_size: '1d', entry: { price: 46.41 }, exit: { price: 24.14 } });
  expect(facts?.raw_return).toBeCloseTo(0.043377, 6);
  expect(facts?.sigma_d).toBeCloseTo(0.025707, 6);
  expect(facts?.mfe?.value).toBeCloseTo(0.076737, 6);
  expect(facts?.mfe?.time).toMatch(/^2003-02-18/);
  expect(facts?.mae.value).toBeCloseTo(-0.006033, 6);
  expect(facts?.mae.time).toMatch(/^2003-02-13/);
  expect(graded.get('msft')?.bars).toHaveLength(5);
});

test('what the reference shows as an example is what comes out', () => {
  const rounded = (facts: unknown) =>
    JSON.parse(JSON.stringify(facts), (_, value) => (typeof value === 'number' ? Number(value.toFixed(6)) : value));
  const { facts, created_regime } = graded.get('msft') ?? {};
  expect(rounded(facts)).toEqual(rounded(factsExample));
  const { move_z: _, had_said: __, ...shown } = outcomeExample;
  expect(rounded(newest.get('msft')?.facts)).toEqual(rounded(shown));
  const { vol, trend } = commonExample.created_regime_values;
  expect(created_regime?.label).toBe(commonExample.created_regime);
  expect([created_regime?.vol, created_regime?.trend].map((value) => value?.toFixed(4))).toEqual([
    vol.toFixed(4),
    trend.toFixed(4),
  ]);
});

test('600000 from the lunch break: two hours of which one is traded, on its minute bars', () => {
  const { facts, bars } = graded.get('lunch') ?? {};
  expect(facts).toMatchObject({
    bar_size: '1m',
    entry: { time: '2024-06-17T05:00:00.000Z', price: 8.05 },
    exit: { time: '2024-06-17T06:00:00.000Z', price: 8.08 },
    tau: 0.25,
  });
  expect(facts?.sigma_d).toBeCloseTo(0.009976, 6);
  expect(facts?.z).toBeCloseTo(0.7457, 4);
  expect(bars).toHaveLength(60);
});

test('all of them are retroactive, and no fault was met', () => {
  expect([...graded.values()].map(({ submission_origin }) => submission_origin)).toEqual(
    Object.keys(CALLS).map(() => 'retroactive'),
  );
  expect(bench.reported).toEqual([]);
});
