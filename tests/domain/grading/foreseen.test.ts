import { describe, expect, test } from '@jest/globals';
import { foreseenFault } from '../../../domain/grading/foreseen.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { amchartsBars, at, BTC, cryptoDays, MSFT, PUFA, pufaBars } from '../market/real-bars.ts';

describe('what is foreseen at submission', () => {
  const anchor_time = at('2024-06-18T02:00Z');
  const pufa = (minutes: number) => {
    return foreseenFault(PUFA, { anchor_time, end_time: anchor_time + minutes * MINUTE }, pufaBars('1d'))?.reason;
  };

  test('prices too coarse for a short window, not for a long one', () => {
    expect([pufa(2), pufa(10), pufa(3 * 24 * 60)]).toEqual(['coarse_prices', 'coarse_prices', undefined]);
  });

  test('nothing, for a share that moves', () => {
    const start = at('2014-08-01T13:30Z');
    expect(foreseenFault(MSFT, { anchor_time: start, end_time: start + DAY }, amchartsBars('MSFT'))).toBeNull();
  });

  test('a volatility that is too small, and a history that is too short', () => {
    const end = at('2024-03-09');
    const window = { anchor_time: end, end_time: end + DAY };
    const still = cryptoDays(
      end,
      Array.from({ length: 30 }, (_, i) => 1 + (i % 2) * 0.000_5),
    );
    expect(foreseenFault(BTC, window, still)?.reason).toBe('below_resolution');
    expect(foreseenFault(BTC, window, still.slice(-8))?.reason).toBe('insufficient_history');
  });

  test('only what is known at the anchor counts', () => {
    const bars = pufaBars('1d');
    const known = bars.filter(({ end }) => end <= anchor_time);
    const window = { anchor_time, end_time: anchor_time + 10 * MINUTE };
    expect(foreseenFault(PUFA, window, bars)).toEqual(foreseenFault(PUFA, window, known));
  });
});
