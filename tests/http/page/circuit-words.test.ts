import { expect, test } from '@jest/globals';
import { circuitWords } from '../../../adapters/http/page/browser/home/circuit-words.ts';

const peg = { price: 1.0002, drift_bps: 2, observed_at: '2026-03-02T12:00:00.000Z' };

test('a coin without a price is not called normal', () => {
  const { badge, meaning } = circuitWords({ state: 'normal', peg: null });
  expect(badge).toBe('no price yet');
  expect(meaning).toMatch(/^Whether it holds its peg is not known\./);
});

test.each(['normal', 'warming', 'tripped'] as const)('a coin with a price has the state %s of its circuit', (state) => {
  expect(circuitWords({ state, peg }).badge).toBe(state);
});

test('a coin that was tripped before any price is tripped', () => {
  expect(circuitWords({ state: 'tripped', peg: null })).toMatchObject({
    badge: 'tripped',
    meaning: expect.stringMatching(/^It left its peg, or an operator tripped it/),
  });
});
