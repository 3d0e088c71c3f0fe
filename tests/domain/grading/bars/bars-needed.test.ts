import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BarsNeeded, EvaluationCall } from '../../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../../domain/grading/method.ts';
import type { BarSize } from '../../../../domain/market/bars.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { lastInstantWithin } from '../../../../domain/market/open-time.ts';
import { DAY, HOUR, MINUTE, rfc3339 } from '../../../../domain/time.ts';
import { at, BTC, PUFA, SPX } from '../../market/real-bars.ts';

function held(seconds: number, from: string, instrument = SPX): EvaluationCall {
  const anchor_time = at(from);
  return {
    instrument,
    direction: 'bullish',
    horizon_kind: 'holding_seconds',
    horizon_value: seconds,
    data_cutoff: anchor_time,
    anchor_time,
    end_time: anchor_time + seconds * 1_000,
  };
}

function needed(call: EvaluationCall, sizes: readonly BarSize[]): BarsNeeded {
  const bars = EVAL_1.barsNeeded(call, sizes);
  if (bars.kind !== 'bars') throw new Error(bars.detail);
  return bars;
}

describe('the size', () => {
  const sevenHours = held(7 * 3_600, '2024-03-06T15:02Z');

  test.each([
    ['wanted, where the source has it', ['1m', '5m', '1h', '1d'], '5m'],
    ['next coarser, where it lacks that', ['1m', '1h', '1d'], '1h'],
    ['finer, where no coarser one resolves the window', ['1m', '1d'], '1m'],
  ] as const)('is the %s', (_, sizes, size) => expect(needed(sevenHours, sizes).path.size).toBe(size));

  test('is the coarsest of the finer ones', () => {
    expect(needed(held(20 * 86_400, '2024-03-06T15:00Z'), ['1m', '1h']).path.size).toBe('1h');
  });

  test('is absent when no bar resolves the window', () => {
    expect(EVAL_1.barsNeeded(sevenHours, ['1d'])).toMatchObject({
      kind: 'data_unavailable',
      reason: 'below_resolution',
    });
    expect(EVAL_1.barsNeeded(sevenHours, [])).toMatchObject({ kind: 'data_unavailable', reason: 'below_resolution' });
  });

  test('is the daily one for a session counted from its open', () => {
    const call = { ...held(6.5 * 3_600, '2024-03-06T14:30Z'), horizon_kind: 'trading_days', horizon_value: 1 } as const;
    expect(needed(call, ['1d']).path.size).toBe('1d');
  });
});

describe('the path', () => {
  test('of a stock reaches from the session before the cutoff to the one after the end', () => {
    const call = { ...held(3_600, '2024-03-08T16:00Z'), data_cutoff: at('2024-03-07T20:00Z') };
    const { from, to } = needed(call, ['1m']).path;
    expect([rfc3339(from), rfc3339(to)]).toEqual(['2024-03-06T14:30:00.000Z', '2024-03-11T20:00:00.000Z']);
  });

  test('of crypto reaches a quarter of an hour, or a bar, beyond both', () => {
    const call = held(3_600, '2024-03-09T10:00:30Z', BTC);
    const spans = (['1m', '1h'] as const).map((size) => {
      const { from, to } = needed({ ...call, end_time: call.end_time + HOUR }, [size]).path;
      return [rfc3339(from).slice(11, 16), rfc3339(to).slice(11, 16)];
    });
    expect(spans).toEqual([
      ['09:45', '12:16'],
      ['09:00', '14:00'],
    ]);
  });

  test('holds every bar that touches the window and the cutoff', () => {
    const anyTime = fc.integer({ min: at('2023-01-01'), max: at('2026-01-01') });
    const stale = fc.integer({ min: 0, max: 2 * HOUR });
    fc.assert(
      fc.property(fc.constantFrom(SPX, PUFA, BTC), anyTime, stale, (instrument, t, staleness) => {
        const end_time = lastInstantWithin(calendarOf(instrument), t, 10 * MINUTE);
        const call = { ...held(600, rfc3339(t), instrument), end_time, data_cutoff: t - staleness };
        const { from, to } = needed(call, ['1m']).path;
        expect(from).toBeLessThanOrEqual(call.data_cutoff - MINUTE);
        expect(to).toBeGreaterThanOrEqual(end_time + MINUTE);
      }),
    );
  });
});

describe('the daily bars', () => {
  test('end at the anchor and fill the rank of volatilities', () => {
    const [stock, crypto] = [
      needed(held(3_600, '2024-03-08T16:00Z'), ['1m']),
      needed(held(3_600, '2024-03-08T16:00Z', BTC), ['1m']),
    ];
    expect([stock.daily.to, crypto.daily.to]).toEqual([at('2024-03-08T16:00Z'), at('2024-03-08T16:00Z')]);
    expect(calendarOf(SPX).sessions(stock.daily.from, at('2024-03-08'))).toHaveLength(252 + 40);
    expect((at('2024-03-08') - crypto.daily.from) / DAY).toBe(365 + 40);
  });
});
