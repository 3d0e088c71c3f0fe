import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { phi } from '../../../../domain/grading/paths/normal.ts';
import { regimeAt, regimeLabel } from '../../../../domain/grading/paths/regime.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { at, BTC, compounded, cryptoDays, SPX, spxBars } from '../../market/real-bars.ts';

const crypto = calendarOf(BTC);
const end = at('2024-03-09');

/** So many closes, the i-th reached by the i-th step. */
function walk(count: number, step: (i: number) => number): number[] {
  return compounded(Array.from({ length: count - 1 }, (_, i) => step(i + 1)));
}

describe('regime', () => {
  test('needs eighty closes', () => {
    const zigzag = (i: number) => (i % 2 === 0 ? 0.01 : -0.01);
    expect(regimeAt(crypto, cryptoDays(end, walk(79, zigzag)), end)).toBeNull();
    expect(regimeAt(crypto, cryptoDays(end, walk(80, zigzag)), end)).toMatchObject({ label: 'range_mid' });
  });

  test('a steady rise is up, and a constant volatility ranks in the middle', () => {
    const regime = regimeAt(
      crypto,
      cryptoDays(
        end,
        walk(120, () => 0.01),
      ),
      end,
    );
    expect(regime?.label).toBe('up_mid');
    // Twenty steps of one sigma each: T is the root of 20.
    expect(regime?.trend).toBeCloseTo(0.99999613, 8);
  });

  test('a trend is measured in the sigmas of sixty sessions', () => {
    const calmed = (i: number) => (i > 100 ? 0.01 : i % 2 ? 0.03 : -0.03);
    const sigma60 = Math.sqrt((40 * 0.03 ** 2 + 20 * 0.01 ** 2) / 60);
    const regime = regimeAt(crypto, cryptoDays(end, walk(121, calmed)), end);
    expect(regime?.trend).toBeCloseTo(phi(0.2 / (sigma60 * Math.sqrt(20))), 9);
  });

  test('a fall that grows wilder is down_high, one that calms down_low', () => {
    const wilder = cryptoDays(
      end,
      walk(120, (i) => -0.0001 * i),
    );
    const calmer = cryptoDays(
      end,
      walk(120, (i) => -0.0001 * (130 - i)),
    );
    expect(regimeAt(crypto, wilder, end)?.label).toBe('down_high');
    expect(regimeAt(crypto, calmer, end)?.label).toBe('down_low');
  });

  test('ranks volatility among the last 365 values of crypto', () => {
    const loudPast = (i: number) => (i < 100 ? 0.05 : i > 460 ? 0.011 : 0.01) * (i % 2 === 0 ? 1 : -1);
    const vol = (count: number) => regimeAt(crypto, cryptoDays(end, walk(520, loudPast).slice(-count)), end)?.vol ?? 0;
    expect(vol(385)).toBe(vol(520));
    expect(vol(300)).not.toBe(vol(520));
  });

  test('knows nothing of later closes', () => {
    const bars = spxBars();
    const moment = at('2008-09-15T13:00Z');
    const known = bars.filter(({ end }) => end <= moment);
    expect(regimeAt(calendarOf(SPX), bars, moment)).toEqual(regimeAt(calendarOf(SPX), known, moment));
    expect(regimeAt(calendarOf(SPX), known, moment)?.label).toBe('down_high');
  });

  test('both numbers stay within [0, 1]', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), { minLength: 80, maxLength: 130 }),
        (steps) => {
          const regime = regimeAt(
            crypto,
            cryptoDays(
              end,
              walk(steps.length, (i) => steps[i] ?? 0),
            ),
            end,
          );
          for (const value of [regime?.vol, regime?.trend]) {
            expect(value).toBeGreaterThanOrEqual(0);
            expect(value).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});

describe('the label at its edges', () => {
  const A_HAIR = 1e-12;

  test.each([
    [0.4307 - A_HAIR, 'range'],
    [0.4307, 'up'],
    [-0.4307, 'down'],
    [-0.4307 + A_HAIR, 'range'],
  ])('a trend of %d is %s', (strength, trend) => {
    expect(regimeLabel(strength, 0.5)).toBe(`${trend}_mid`);
  });

  test.each([
    [1 / 3, 'low'],
    [1 / 3 + A_HAIR, 'mid'],
    [2 / 3, 'mid'],
    [2 / 3 + A_HAIR, 'high'],
  ])('a volatility rank of %d is %s', (vol, label) => {
    expect(regimeLabel(0, vol)).toBe(`range_${label}`);
  });
});
