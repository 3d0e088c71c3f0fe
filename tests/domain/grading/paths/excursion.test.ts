import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction } from '../../../../domain/decisions/call.ts';
import type { OutcomeFacts } from '../../../../domain/grading/outcome.ts';
import { MINUTE, rfc3339 } from '../../../../domain/time.ts';
import { compounded } from '../../market/real-bars.ts';
import { minutesOf, noon, outcomeOf, tenMinutes } from '../evaluations.ts';

describe('excursions', () => {
  const path = minutesOf([100, 105, 95, 102, 101, 101, 101, 101, 101, 101]);
  const facts = (direction: Direction): OutcomeFacts => outcomeOf(tenMinutes(path, { call: { direction } })).facts;

  test('of a bullish decision', () => {
    const { mfe, mae, directional_return, fraction_in_favour } = facts('bullish');
    expect(mfe).toEqual({ time: rfc3339(noon + 2 * MINUTE), value: 106 / 100 - 1 });
    expect(mae).toEqual({ time: rfc3339(noon + 3 * MINUTE), value: 94 / 100 - 1 });
    expect([directional_return, fraction_in_favour]).toEqual([101 / 100 - 1, 0.8]);
  });

  test('of a bearish decision are the opposite', () => {
    const [bull, bear] = [facts('bullish'), facts('bearish')];
    expect(bear.mfe).toEqual({ ...bull.mae, value: -bull.mae.value });
    expect(bear.mae).toEqual({ ...bull.mfe, value: -(bull.mfe?.value ?? 0) });
    expect([bear.raw_return, bear.directional_return, bear.z]).toEqual([bull.raw_return, -bull.raw_return, -bull.z]);
    expect(bear.fraction_in_favour).toBe(0.1);
  });

  test('of a neutral decision: the largest move either way', () => {
    const { mfe, mae, directional_return, z } = facts('neutral');
    expect([mfe, mae.value, mae.time, directional_return]).toEqual([
      null,
      0 - (106 / 100 - 1),
      rfc3339(noon + 2 * MINUTE),
      null,
    ]);
    expect(z).toBe(Math.abs(facts('bullish').z));
  });

  test('of a decision whose price only fell are 0, at its entry', () => {
    const falling = minutesOf([100, 99, 95, 94, 93, 92, 91, 90, 89, 88, 87]).filter((_, i) => i !== 1);
    const call = { anchor_time: noon + 1, data_cutoff: noon + 1 };
    const { mfe } = outcomeOf(
      tenMinutes(
        falling.map((bar) => ({ ...bar, high: Math.max(bar.open, bar.close) })),
        { call },
      ),
    ).facts;
    expect(mfe).toEqual({ time: rfc3339(noon + MINUTE), value: 0 });
  });

  test('reach to the exit where its bar ends after the window', () => {
    const gapped = [...path.slice(0, 9), ...minutesOf([120, 90], noon + 9.5 * MINUTE)];
    const { mfe, exit, realised_volatility } = outcomeOf(tenMinutes(gapped)).facts;
    expect(exit.price).toBe(120);
    expect(realised_volatility).toBeGreaterThan(Math.log(120 / 101));
    expect(mfe).toEqual({ time: exit.time, value: 120 / 100 - 1 });
  });

  test('a neutral decision is favoured within the band that counts as correct', () => {
    // sigma_d is 0.01 and the window 10 of 1,440 minutes: the band reaches 0.056 % either way.
    const near = minutesOf([100, 100.05, 100.06, 99.95, 99.94, 100, 100, 100, 100, 100]);
    expect(outcomeOf(tenMinutes(near, { call: { direction: 'neutral' } })).facts.fraction_in_favour).toBe(0.8);
  });

  test('volatility is that of the steps of the path', () => {
    const steps = [105 / 100, 95 / 105, 102 / 95, 101 / 102].map((ratio) => Math.log(ratio) ** 2);
    expect(facts('bullish').realised_volatility).toBeCloseTo(Math.sqrt(steps.reduce((sum, step) => sum + step)), 12);
  });
});

describe('any path', () => {
  const step = fc.double({ min: -0.05, max: 0.05, noNaN: true });
  const direction = fc.constantFrom<Direction>('bullish', 'bearish', 'neutral');

  test('has excursions around its return, and weighs what it spans', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 12, maxLength: 20 }), direction, (steps, direction) => {
        const { facts, bars } = outcomeOf(tenMinutes(minutesOf(compounded(steps)), { call: { direction } }));
        const made = facts.directional_return ?? 0 - Math.abs(facts.raw_return);
        if (facts.mfe) expect(facts.mfe.value).toBeGreaterThanOrEqual(Math.max(0, made));
        expect(facts.mae.value).toBeLessThanOrEqual(Math.min(0, made));
        expect([facts.tau, bars.length]).toEqual([10 / 1_440, 10]);
      }),
    );
  });
});
