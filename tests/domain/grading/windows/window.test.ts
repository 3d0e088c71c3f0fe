import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  endTime,
  planWindow,
  type WindowPlan,
  type WindowTerms,
  windowAt,
} from '../../../../domain/grading/windows/window.ts';
import type { Instrument } from '../../../../domain/market/instrument.ts';
import { DAY, HOUR, MINUTE, rfc3339, SECOND } from '../../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from '../../market/real-bars.ts';

const midSession = at('2024-03-06T16:00Z');

function call(instrument: Instrument, horizon: Partial<WindowTerms> = {}): WindowTerms {
  return { instrument, horizon_kind: 'trading_days', horizon_value: 1, data_cutoff: midSession, ...horizon };
}

function planned(given: WindowTerms, receivedAt: number): WindowPlan {
  const plan = planWindow(given, receivedAt);
  if (Array.isArray(plan)) throw new Error(plan.map(({ message }) => message).join('; '));
  return plan;
}

function endOf(given: WindowTerms, receivedAt: number): string {
  return rfc3339(windowAt(planned(given, receivedAt), receivedAt).end_time);
}

function originAt(instrument: Instrument, cutoff: string, receivedAt: number): string {
  return planned(call(instrument, { data_cutoff: at(cutoff) }), receivedAt).origin;
}

function held(seconds: number, instrument = SPX, cutoff = midSession): WindowTerms {
  return call(instrument, { horizon_kind: 'holding_seconds', horizon_value: seconds, data_cutoff: cutoff });
}

describe('origin', () => {
  test('realtime at exactly two sessions of staleness, retroactive a millisecond later', () => {
    const twoSessionsOn = at('2024-03-08T16:00Z');
    expect(originAt(SPX, '2024-03-06T16:00Z', twoSessionsOn)).toBe('realtime');
    expect(originAt(SPX, '2024-03-06T16:00Z', twoSessionsOn + 1)).toBe('retroactive');
  });

  test('a weekend does not make data stale', () => {
    expect(originAt(SPX, '2024-03-08T21:00Z', at('2024-03-11T13:30Z'))).toBe('realtime');
  });

  test('China counts two sessions of four hours', () => {
    expect(originAt(PUFA, '2024-06-17T01:30Z', at('2024-06-19T01:30Z'))).toBe('realtime');
    expect(originAt(PUFA, '2024-06-17T01:30Z', at('2024-06-19T01:30Z') + 1)).toBe('retroactive');
  });

  test('crypto is stale after two hours by the clock', () => {
    expect(originAt(BTC, '2024-03-09T16:00Z', at('2024-03-09T18:00Z'))).toBe('realtime');
    expect(originAt(BTC, '2024-03-09T16:00Z', at('2024-03-09T18:00Z') + 1)).toBe('retroactive');
  });

  test('a cutoff ahead of the receipt is realtime', () => {
    expect(originAt(BTC, '2024-03-09T16:00:30Z', at('2024-03-09T16:00Z'))).toBe('realtime');
  });

  test('realtime is anchored at the receipt, retroactive at the cutoff', () => {
    const [soon, late] = [midSession + MINUTE, midSession + 30 * DAY];
    expect(windowAt(planned(call(SPX), soon), soon).anchor_time).toBe(soon);
    expect(windowAt(planned(call(SPX), late), late).anchor_time).toBe(midSession);
  });
});

describe('end', () => {
  test('trading days end at the close of the n-th full session', () => {
    const open = at('2024-03-06T14:30Z');
    expect(endOf(call(SPX, { data_cutoff: open }), open)).toBe('2024-03-06T21:00:00.000Z');
    expect(endOf(call(SPX, { data_cutoff: open }), open + 1)).toBe('2024-03-07T21:00:00.000Z');
    expect(endOf(call(SPX, { horizon_value: 3 }), midSession)).toBe('2024-03-11T20:00:00.000Z');
  });

  test('an early close ends a trading day', () => {
    const cutoff = at('2024-07-02T21:00Z');
    expect(endOf(call(SPX, { data_cutoff: cutoff }), cutoff)).toBe('2024-07-03T17:00:00.000Z');
  });

  test('crypto counts full UTC days', () => {
    const midnight = at('2024-03-09');
    expect(endOf(call(BTC, { horizon_value: 2, data_cutoff: midnight }), midnight)).toBe('2024-03-11T00:00:00.000Z');
    expect(endOf(call(BTC, { horizon_value: 2, data_cutoff: midnight }), midnight + 1)).toBe(
      '2024-03-12T00:00:00.000Z',
    );
  });

  test('seconds are held by the clock', () => {
    expect(endOf(held(DAY / SECOND), midSession)).toBe('2024-03-07T16:00:00.000Z');
    expect(endTime(held(DAY / SECOND), midSession)).toBe(midSession + DAY);
  });
});

describe('admission', () => {
  test.each([
    ['trading_days', 0],
    ['trading_days', 253],
    ['trading_days', 1.5],
    ['holding_seconds', 119],
    ['holding_seconds', 31_536_001],
    ['holding_seconds', Number.NaN],
  ] as const)('%s refuses %p and names the bounds', (horizon_kind, horizon_value) => {
    expect(planWindow(call(BTC, { horizon_kind, horizon_value }), midSession)).toEqual([
      { path: 'horizon_value', message: expect.stringMatching(/ from \d+ to \d+/), received: horizon_value },
    ]);
  });

  test.each([
    ['trading_days', 1],
    ['trading_days', 252],
    ['holding_seconds', 120],
    ['holding_seconds', 31_536_000],
  ] as const)('%s accepts %d', (horizon_kind, horizon_value) => {
    expect(planned(call(BTC, { horizon_kind, horizon_value }), midSession).origin).toBe('realtime');
  });

  test('a stock with too little session time is advised to use trading_days', () => {
    const lastMinutes = at('2024-03-06T20:58:01Z');
    const fault = { path: 'horizon_value', message: expect.stringContaining('trading_days'), received: 3_600 };
    expect(planWindow(held(3_600, SPX, lastMinutes), lastMinutes)).toEqual([fault]);
    expect(planned(held(3_600, SPX, lastMinutes - SECOND), lastMinutes - SECOND).until).toBe(lastMinutes - SECOND + 1);
  });

  test('the session time needed follows the bar size', () => {
    const tenMinutesLeft = at('2024-03-06T20:50Z');
    const sevenHours = (7 * HOUR) / SECOND;
    expect(planned(held(sevenHours, SPX, tenMinutesLeft), tenMinutesLeft).bar_size).toBe('5m');
    expect(planWindow(held(sevenHours, SPX, tenMinutesLeft), tenMinutesLeft + 1)).toHaveLength(1);
  });

  test('two daily bars are two sessions', () => {
    const received = at('2010-01-01');
    const sixteenDays = (16 * DAY) / SECOND;
    expect(planned(held(sixteenDays, PUFA, at('2002-02-05')), received).bar_size).toBe('1d');
    expect(planned(held(sixteenDays, PUFA, at('2002-02-07')), received).bar_size).toBe('1d');
    expect(planWindow(held(sixteenDays - 1, PUFA, at('2002-02-08T01:30:01Z')), received)).toHaveLength(1);
  });

  test('lunch is no session time', () => {
    const lunch = at('2024-06-17T03:30Z');
    expect(planWindow(held(5_400, PUFA, lunch), lunch)).toHaveLength(1);
    expect(planned(held(5_520, PUFA, lunch), lunch).bar_size).toBe('1m');
  });
});

test.each([
  ['holding_seconds', 21_600, '1m'],
  ['holding_seconds', 21_601, '5m'],
  ['holding_seconds', 172_800, '5m'],
  ['holding_seconds', 172_801, '1h'],
  ['holding_seconds', 1_209_600, '1h'],
  ['holding_seconds', 1_209_601, '1d'],
  ['trading_days', 2, '5m'],
  ['trading_days', 3, '1h'],
  ['trading_days', 10, '1h'],
  ['trading_days', 11, '1d'],
] as const)('%s %d is followed on bars of %s', (horizon_kind, horizon_value, size) => {
  expect(planned(call(SPX, { horizon_kind, horizon_value }), midSession).bar_size).toBe(size);
});

test('weekdays beyond the table of China are flagged', () => {
  const cutoff = at('2026-12-01T02:00Z');
  expect(planned(call(PUFA, { horizon_value: 10, data_cutoff: cutoff }), cutoff).calendar_generic).toBe(false);
  expect(planned(call(PUFA, { horizon_value: 60, data_cutoff: cutoff }), cutoff).calendar_generic).toBe(true);
});

describe('a plan', () => {
  const someCall = fc.record({
    instrument: fc.constantFrom(
      ...[SPX, PUFA, BTC, { ...SPX, venue: 'NOWHERE' }],
      ...['HKEX', 'NSE', 'TWSE', 'ASX', 'KRX'].map((venue) => ({ ...SPX, venue })),
    ),
    horizon: fc.oneof(
      fc.record({
        horizon_kind: fc.constant('trading_days' as const),
        horizon_value: fc.integer({ min: 1, max: 252 }),
      }),
      fc.record({
        horizon_kind: fc.constant('holding_seconds' as const),
        horizon_value: fc.oneof(fc.integer({ min: 120, max: 90_000 }), fc.integer({ min: 120, max: 31_536_000 })),
      }),
    ),
    receivedAt: fc.oneof(
      fc.integer({ min: at('2026-01-01'), max: at('2027-06-01') }),
      // Storms were learned in these weeks, and mourning.
      fc.integer({ min: at('2023-07-15'), max: at('2023-10-15') }),
      fc.integer({ min: at('2024-12-25'), max: at('2025-01-12') }),
    ),
    staleness: fc.oneof(fc.integer({ min: -30_000, max: 3 * HOUR }), fc.integer({ min: 0, max: 9 * DAY })),
  });

  const strip = ({ until, ...plan }: WindowPlan) => plan;

  test('is equal for every receive time before its until', () => {
    let plans = 0;
    fc.assert(
      fc.property(someCall, fc.double({ min: 0, max: 1, noNaN: true }), ({ horizon, receivedAt, ...given }, where) => {
        const cutoff = receivedAt - given.staleness;
        const terms = { instrument: given.instrument, ...horizon, data_cutoff: cutoff };
        const plan = planWindow(terms, receivedAt);
        if (Array.isArray(plan)) return;
        plans++;
        const last = Math.min(plan.until, receivedAt + 40 * DAY) - 1;
        expect(last).toBeGreaterThanOrEqual(receivedAt);
        for (const t of [receivedAt + Math.floor((last - receivedAt) * where), last]) {
          const replanned = planned(terms, t);
          expect(windowAt(plan, t)).toEqual(windowAt(replanned, t));
          // A fixed end is written as such at any time of planning.
          expect(strip(replanned)).toEqual(strip(plan));
        }
      }),
      { numRuns: 1_000 },
    );
    expect(plans).toBeGreaterThan(300);
  });

  test('of trading days holds through the open that it counts from', () => {
    const beforeOpen = at('2024-03-06T14:00Z');
    const plan = planned(call(SPX, { data_cutoff: beforeOpen }), beforeOpen);
    expect(plan.until).toBe(at('2024-03-06T14:30Z') + 1);
    expect(planned(call(SPX, { data_cutoff: beforeOpen }), plan.until).end).not.toEqual(plan.end);
  });

  test('counts a session that a storm closed later; the grade has its sessions all the same', () => {
    const received = at('2023-08-28T01:00Z');
    const terms = call({ ...SPX, symbol: '0700.HK', venue: 'HKEX' }, { horizon_value: 5, data_cutoff: received });
    expect(windowAt(planned(terms, received), received).end_time).toBe(at('2023-09-01T08:00Z'));
    expect(endTime(terms, received)).toBe(at('2023-09-04T08:00Z'));
    const later = at('2023-08-31T01:00Z');
    expect(windowAt(planned({ ...terms, data_cutoff: later, horizon_value: 2 }, later), later).end_time).toBe(
      at('2023-09-04T08:00Z'),
    );
  });

  test('holds until its end enters local days whose holidays are unknown', () => {
    const received = at('2026-12-30T02:00Z');
    const terms = held(37.5 * 3_600, PUFA, received);
    const plan = planned(terms, received);
    expect([plan.until, plan.calendar_generic]).toEqual([received + 30 * MINUTE, false]);
    expect(planned(terms, plan.until).calendar_generic).toBe(true);
  });

  test('holds until the cutoff goes stale, and a retroactive one for ever', () => {
    const plan = planned(held(3_600, BTC), midSession);
    expect(plan.until).toBe(midSession + 2 * HOUR + 1);
    expect(planned(held(3_600, BTC), plan.until)).toMatchObject({
      origin: 'retroactive',
      until: Number.POSITIVE_INFINITY,
    });
  });
});
