import { expect, test } from '@jest/globals';
import { evaluateDue } from '../../../application/grading/evaluate-due.ts';
import { verifyInstruments } from '../../../application/market/verify-instruments.ts';
import { EVALUATION } from '../../../domain/limits.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { race } from '../../contracts/adapters.ts';
import { memoryBench } from './bench.ts';

/** An hour of holding, one bar of a minute and the settle delay. */
const SETTLED = HOUR + MINUTE + 120 * SECOND;

test('records of one instrument are graded on bars fetched once, each by its own terms', async () => {
  const bench = await memoryBench('BTC');
  const directions = ['bullish', 'bearish', 'neutral'] as const;
  const ids = await Promise.all(directions.map((direction) => bench.submit({ direction })));
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 3, more: false, next: null });
  const decisions = await Promise.all(ids.map(bench.read));
  expect(decisions.map(({ result_bucket }) => result_bucket)).toEqual([
    'weak_correct',
    'weak_incorrect',
    'strong_correct',
  ]);
  // One hour of a steady growth of one sigma a day is 1/24 over the root of 1/24 sigmas.
  const z = Math.sqrt(1 / 24);
  expect(decisions[0]?.facts?.z).toBeCloseTo(z, 9);
  expect(decisions[1]?.facts?.z).toBeCloseTo(-z, 9);
  expect(decisions[0]?.bars).toHaveLength(60);
  expect(bench.prices.asked).toEqual(['describe BTC', '1d BTC', '1m BTC']);
});

test('no record is evaluated before its prices are settled, and the sweep returns when that is', async () => {
  const bench = await memoryBench('BTC');
  const id = await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED - 1);
  const next = (await bench.read(id)).settles_at;
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 0, more: false, next });
  await bench.arrange.advance(1);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 1, more: false, next: null });
});

test('a full batch says that there is more', async () => {
  const bench = await memoryBench('BTC');
  for (let i = 0; i <= EVALUATION.batch; i++) await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  expect(await evaluateDue(bench.ports)).toEqual({ ended: EVALUATION.batch, more: true, next: null });
  expect(await evaluateDue(bench.ports)).toEqual({ ended: 1, more: false, next: null });
});

test('concurrent sweeps grade each record once', async () => {
  const bench = await memoryBench('BTC');
  for (let i = 0; i < 7; i++) await bench.submit();
  await verifyInstruments(bench.ports);
  await bench.arrange.advance(SETTLED);
  const sweeps = await race(5, () => evaluateDue(bench.ports));
  expect(sweeps.reduce((sum, { ended }) => sum + ended, 0)).toBe(7);
});
