import { describe, expect, test } from '@jest/globals';
import type { LevelCall } from '../../../../domain/grading/paths/owner-facts.ts';
import { planTouches } from '../../../../domain/grading/paths/plan-touches.ts';
import type { Bar } from '../../../../domain/market/bars.ts';
import { MINUTE, rfc3339 } from '../../../../domain/time.ts';
import { noon } from '../evaluations.ts';

type Ohlc = readonly [open: number, high: number, low: number, close: number];

/** Minutes from noon, the entry at the open of the first one. */
function touched(prices: readonly Ohlc[], call: Partial<LevelCall>, opens: (i: number) => boolean = () => true) {
  const bars = prices.map(([open, high, low, close], i): Bar => {
    const start = noon + i * MINUTE;
    return { start, end: start + MINUTE, open, high, low, close, volume: 1, split: 1, total: 1 };
  });
  const [first] = bars;
  if (!first) throw new RangeError('A path has a bar');
  return planTouches(
    { direction: 'bullish', ...call },
    {
      entry: { ts: first.start, price: first.open, bar: first },
      bars: bars.map((bar, i) => ({ bar, opens: opens(i) })),
      unit: first,
    },
  );
}

const plan = (target: number, stop: number, entry?: number): Partial<LevelCall> => ({
  price_targets: {
    ...(entry === undefined ? {} : { entry }),
    targets: [{ price: target }],
    stop_loss: { price: stop, kind: 'hard' },
  },
});

const touches = (found: ReturnType<typeof touched>) =>
  found?.touches.map(({ kind, fill_price, ambiguous, time }) => [
    kind,
    fill_price,
    ambiguous,
    (Date.parse(time) - noon) / MINUTE,
  ]);

describe('the open of a bar comes first', () => {
  test('beyond the target it is the target, at the open, though the bar reaches the stop too', () => {
    const found = touched(
      [
        [100, 101, 99, 100],
        [106, 107, 94, 95],
      ],
      plan(105, 95),
    );
    expect(touches(found)).toEqual([
      ['target', 106, false, 1],
      ['stop', 95, false, 2],
    ]);
    expect(found?.first_touch?.kind).toBe('target');
  });

  test('beyond the stop it is the stop, at the open', () => {
    expect(
      touches(
        touched(
          [
            [100, 101, 99, 100],
            [94, 106, 93, 105],
          ],
          plan(105, 95),
        ),
      ),
    ).toEqual([
      ['stop', 94, false, 1],
      ['target', 105, false, 2],
    ]);
  });

  test('an open that is left out says nothing: the bar with both is the stop, and its target has its time', () => {
    const found = touched(
      [
        [100, 101, 99, 100],
        [106, 107, 94, 95],
      ],
      plan(105, 95),
      (i) => i === 0,
    );
    expect(touches(found)).toEqual([
      ['stop', 95, true, 2],
      ['target', 105, false, 2],
    ]);
    expect(found).toMatchObject({ time_to_target: 120, time_to_stop: 120, entry_reached: null });
  });
});

describe('a plan with an entry', () => {
  test('is followed from the bar that reaches it: the stop with that bar, the target with the next one', () => {
    const bars: Ohlc[] = [
      [100, 106, 99, 100],
      [100, 106, 97, 98],
      [98, 105, 98, 104],
    ];
    const found = touched(bars, plan(105, 96, 98));
    expect(touches(found)).toEqual([['target', 105, false, 3]]);
    expect(found?.entry_reached).toBe(true);
    expect(
      touches(
        touched(
          [
            [100, 106, 99, 100],
            [100, 106, 95, 98],
          ],
          plan(105, 96, 98),
        ),
      ),
    ).toEqual([['stop', 96, false, 2]]);
  });

  test('that opens beyond entry and stop alike stops at the open', () => {
    expect(
      touches(
        touched(
          [
            [100, 101, 99, 100],
            [90, 91, 89, 90],
          ],
          plan(105, 96, 98),
        ),
      ),
    ).toEqual([['stop', 90, false, 1]]);
  });

  test('above the price is reached from below', () => {
    const found = touched(
      [
        [100, 103, 99.5, 102],
        [102, 111, 101, 110],
      ],
      plan(110, 99, 103),
    );
    expect([found?.entry_reached, touches(found)]).toEqual([true, [['target', 110, false, 2]]]);
  });

  test('at the first price is followed at once', () => {
    expect(touches(touched([[100, 106, 99, 105]], plan(105, 95, 100)))).toEqual([['target', 105, false, 1]]);
  });

  test('that is never reached has no touches', () => {
    const found = touched([[100, 106, 99, 105]], plan(105, 95, 97));
    expect(found).toMatchObject({ entry_reached: false, touches: [], first_touch: null, invalid_at_entry: [] });
  });

  test('judges the sides of its levels from its entry, not from the first price', () => {
    const found = touched([[100, 101, 99, 100]], plan(99, 97, 98));
    expect(found?.invalid_at_entry).toEqual([]);
    expect(touched([[100, 101, 99, 100]], plan(99, 97))?.invalid_at_entry).toEqual([{ kind: 'target', price: 99 }]);
  });

  test('alone, without a level, still says whether it was reached', () => {
    expect(touched([[100, 101, 99, 100]], { price_targets: { entry: 99 } })?.entry_reached).toBe(true);
    expect(touched([[100, 101, 99, 100]], {})).toBeNull();
  });
});

test('a trailing stop follows the best price of earlier bars, from the entry of the plan', () => {
  const trailing = { price_targets: { entry: 98, stop_loss: { price: 96, kind: 'trailing' as const } } };
  const found = touched(
    [
      [100, 100, 98, 99],
      [99, 104, 99, 104],
      [104, 104, 101.5, 103],
    ],
    trailing,
  );
  expect(found?.touches[0]).toMatchObject({ kind: 'stop', fill_price: 102, time: rfc3339(noon + 3 * MINUTE) });
});
