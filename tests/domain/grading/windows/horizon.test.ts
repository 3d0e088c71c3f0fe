import { describe, expect, test } from '@jest/globals';
import { HORIZON_RANGES, horizonFault } from '../../../../domain/grading/windows/window.ts';

describe('the admission bounds of a horizon', () => {
  test.each([
    ['trading_days', 1],
    ['trading_days', 252],
    ['holding_seconds', 120],
    ['holding_seconds', 31_536_000],
  ] as const)('%s accepts %d', (horizon_kind, horizon_value) => {
    expect(horizonFault({ horizon_kind, horizon_value })).toBeUndefined();
  });

  test.each([
    ['trading_days', 0, 'For trading_days send a whole number of sessions from 1 to 252.'],
    ['trading_days', 253, 'For trading_days send a whole number of sessions from 1 to 252.'],
    ['holding_seconds', 119, 'For holding_seconds send a whole number of seconds from 120 to 31536000.'],
    ['holding_seconds', 31_536_001, 'For holding_seconds send a whole number of seconds from 120 to 31536000.'],
    ['holding_seconds', 120.5, 'For holding_seconds send a whole number of seconds from 120 to 31536000.'],
  ] as const)('%s refuses %d', (horizon_kind, horizon_value, message) => {
    expect(horizonFault({ horizon_kind, horizon_value })).toEqual({
      path: 'horizon_value',
      message,
      received: horizon_value,
    });
  });

  test('are stated as one text', () => {
    expect(HORIZON_RANGES).toBe('Seconds (120 to 31,536,000) or full sessions (1 to 252).');
  });
});
