import { describe, expect, test } from '@jest/globals';
import { factorBasis, settledUntil } from '../../../../domain/grading/bars/settled-bars.ts';
import { settlesAt } from '../../../../domain/grading/windows/settling.ts';
import { BAR_SIZES, lengthOf } from '../../../../domain/market/bars.ts';
import { rfc3339 } from '../../../../domain/time.ts';

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' } as const;
const MSFT = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;

describe('bars are settled', () => {
  test.each([
    [BTC, '1m', 'continuous', '2026-03-02T12:02:59.999Z', '2026-03-02T12:00:00.000Z'],
    [BTC, '1m', 'continuous', '2026-03-02T12:03:00.000Z', '2026-03-02T12:01:00.000Z'],
    [BTC, '1d', 'continuous', '2026-03-02T00:01:59.999Z', '2026-03-01T00:00:00.000Z'],
    [BTC, '1d', 'continuous', '2026-03-02T00:02:00.000Z', '2026-03-02T00:00:00.000Z'],
    [BTC, '1d', 'end_of_day', '2026-03-02T05:59:59.999Z', '2026-03-01T00:00:00.000Z'],
    [MSFT, '1h', 'continuous', '2026-03-02T21:29:59.999Z', '2026-02-27T21:00:00.000Z'],
    [MSFT, '1h', 'continuous', '2026-03-02T21:30:00.000Z', '2026-03-02T21:00:00.000Z'],
    [MSFT, '1d', 'end_of_day', '2026-03-03T02:59:59.999Z', '2026-02-27T21:00:00.000Z'],
    [MSFT, '1d', 'end_of_day', '2026-03-03T03:00:00.000Z', '2026-03-02T21:00:00.000Z'],
  ] as const)('%j %s (%s) at %s up to %s', (instrument, size, cadence, now, until) => {
    expect(rfc3339(settledUntil(instrument, { size, cadence }, Date.parse(now)))).toBe(until);
  });

  test.each([BTC, MSFT])('where an evaluation needs them: %j', (instrument) => {
    for (const cadence of ['continuous', 'end_of_day'] as const) {
      for (const bar_size of BAR_SIZES) {
        for (let minute = 0; minute < 3 * 1_440; minute += 7) {
          const end_time = Date.UTC(2026, 2, 6, 0, minute);
          const now = settlesAt(instrument, { end_time, bar_size, cadence });
          const end = Math.floor(end_time / lengthOf(bar_size)) * lengthOf(bar_size);
          const needed = instrument.market === 'crypto' ? end : 0;
          expect(settledUntil(instrument, { size: bar_size, cadence }, now)).toBeGreaterThanOrEqual(needed);
          if (instrument.market === 'stock')
            expect(closedAfter(now, cadence, bar_size)).toBeGreaterThanOrEqual(end_time);
        }
      }
    }
  });
});

/** Nothing trades between the settled close and the next open, so the settled bars are complete up to there. */
function closedAfter(now: number, cadence: 'continuous' | 'end_of_day', size: (typeof BAR_SIZES)[number]): number {
  const until = settledUntil(MSFT, { size, cadence }, now);
  const opens = ['2026-03-06T14:30:00Z', '2026-03-09T13:30:00Z', '2026-03-10T13:30:00Z'].map((at) => Date.parse(at));
  return opens.find((open) => open >= until) ?? 0;
}

test('the factors of stocks depend on the session, those of coins on nothing', () => {
  const basis = (at: string) => rfc3339(factorBasis(MSFT, Date.parse(at)));
  expect(basis('2026-03-02T14:29:59.999Z')).toBe('2026-02-27T14:30:00.000Z');
  expect(basis('2026-03-02T14:30:00.000Z')).toBe('2026-03-02T14:30:00.000Z');
  expect(basis('2026-03-03T03:00:00.000Z')).toBe('2026-03-02T14:30:00.000Z');
  expect(factorBasis(BTC, Date.now())).toBe(0);
});
