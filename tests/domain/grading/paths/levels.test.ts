import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Direction, Invalidation, PriceTargets } from '../../../../domain/decisions/call.ts';
import type { LevelFacts } from '../../../../domain/grading/outcome.ts';
import { levelFacts } from '../../../../domain/grading/paths/owner-facts.ts';
import { MINUTE } from '../../../../domain/time.ts';
import { at } from '../../market/real-bars.ts';

const start = at('2024-03-06T15:00Z');
type Prices = readonly [open: number, high: number, low: number, close: number, volume?: number];

/** The bars of evaluation.md section 9. */
const barriers: readonly Prices[] = [
  [100, 100.8, 99.6, 100.5],
  [100.5, 101.2, 100.1, 101],
  [101, 102.3, 100.9, 102.1],
  [102.1, 102.4, 98.9, 99.2],
];

function facts(
  prices: readonly Prices[],
  targets: PriceTargets,
  { direction = 'bullish' as Direction, invalidation = [] as readonly Invalidation[], entry = 100 } = {},
): LevelFacts {
  const bars = prices.map(([open, high, low, , volume = 1], i) => {
    return { start: start + i * MINUTE, end: start + (i + 1) * MINUTE, open, high, low, volume };
  });
  const found = levelFacts(
    { direction, price_targets: targets, invalidation },
    { entry: { ts: start, price: entry }, bars },
  );
  if (!found) throw new Error('no levels');
  return found;
}

function plan(target: number, stop: number, kind: 'hard' | 'trailing' = 'hard'): PriceTargets {
  return { targets: [{ price: target }], stop_loss: { price: stop, kind } };
}

const ends = (bar: number) => new Date(start + bar * MINUTE).toISOString();
const starts = (bar: number) => ends(bar - 1);

describe('the barriers of the method', () => {
  test('(target 102, stop 99): the target on bar 3 wins, the stop follows on bar 4', () => {
    const { first_touch, time_to_target, time_to_stop, touches } = facts(barriers, plan(102, 99));
    expect(first_touch).toEqual({ kind: 'target', price: 102, time: ends(3), fill_price: 102, ambiguous: false });
    expect([time_to_target, time_to_stop]).toEqual([180, 240]);
    expect(touches.map(({ kind, time }) => [kind, time])).toEqual([
      ['target', ends(3)],
      ['stop', ends(4)],
    ]);
  });

  test('(103, 99): the stop on bar 4', () => {
    const { first_touch, time_to_target } = facts(barriers, plan(103, 99));
    expect(first_touch).toEqual({ kind: 'stop', price: 99, time: ends(4), fill_price: 99, ambiguous: false });
    expect(time_to_target).toBeNull();
  });

  test('(102.4, 98.9): one bar reaches both, which counts as the stop', () => {
    const { first_touch, time_to_target, time_to_stop, touches } = facts(barriers, plan(102.4, 98.9));
    expect(first_touch).toEqual({ kind: 'stop', price: 98.9, time: ends(4), fill_price: 98.9, ambiguous: true });
    expect([time_to_target, time_to_stop, touches.length]).toEqual([null, 240, 1]);
  });
});

describe('a gap', () => {
  test('through the stop fills at the open', () => {
    const { first_touch } = facts(
      [
        [100, 101, 99.5, 100],
        [97, 98, 96, 97],
      ],
      plan(110, 99),
    );
    expect(first_touch).toMatchObject({ kind: 'stop', time: starts(2), fill_price: 97 });
  });

  test('through the target of a bearish decision fills at the open', () => {
    const targets = plan(95, 105);
    const { first_touch } = facts(
      [
        [100, 101, 99, 100],
        [93, 94, 92, 93],
      ],
      targets,
      { direction: 'bearish' },
    );
    expect(first_touch).toMatchObject({ kind: 'target', time: starts(2), fill_price: 93 });
  });
});

describe('a trailing stop', () => {
  test('follows the best price of earlier bars, not of its own', () => {
    const spike: readonly Prices[] = [
      [100, 106, 99, 105],
      [105, 105.5, 104.2, 105],
      [105, 105, 103, 103],
    ];
    const { first_touch } = facts(spike, plan(120, 98, 'trailing'));
    expect(first_touch).toMatchObject({ kind: 'stop', price: 98, time: ends(3), fill_price: 104 });
  });

  test('never loosens', () => {
    const slide: readonly Prices[] = [
      [100, 104, 100, 103],
      [103, 103, 102.5, 102.6],
      [102.6, 102.7, 101.9, 102],
    ];
    expect(facts(slide, plan(120, 98, 'trailing')).first_touch).toMatchObject({ time: ends(3), fill_price: 102 });
  });

  test('of a bearish decision follows the lows', () => {
    const fall: readonly Prices[] = [
      [100, 101, 94, 95],
      [95, 96, 94.5, 96],
    ];
    const { first_touch } = facts(fall, plan(80, 102, 'trailing'), { direction: 'bearish' });
    expect(first_touch).toMatchObject({ kind: 'stop', time: ends(2), fill_price: 96 });
  });
});

describe('levels', () => {
  test('on the wrong side of the entry, or on it, are listed and not followed', () => {
    const { invalid_at_entry, touches } = facts(barriers, plan(100, 101), {
      invalidation: [{ kind: 'rises_above', threshold: 99 }],
    });
    expect(invalid_at_entry).toEqual([
      { kind: 'stop', price: 101 },
      { kind: 'target', price: 100 },
      { kind: 'rises_above', price: 99 },
    ]);
    expect(touches).toEqual([]);
  });

  test('are not touched by bars without volume', () => {
    const quiet = barriers.map(([open, high, low, close]): Prices => [open, high, low, close, 0]);
    expect(facts(quiet, plan(102, 99)).touches).toEqual([]);
  });

  test('several of them are listed in the order in which they were touched', () => {
    const targets = { targets: [{ price: 102.2 }, { price: 101 }, { price: 110 }] };
    const invalidation: Invalidation[] = [{ kind: 'drops_below', threshold: 99.7 }];
    const { touches, first_touch } = facts(barriers, targets, { invalidation });
    expect(touches.map(({ kind, price }) => [kind, price])).toEqual([
      ['drops_below', 99.7],
      ['target', 101],
      ['target', 102.2],
    ]);
    expect(first_touch).toMatchObject({ kind: 'target', price: 101 });
  });

  test('of one bar are listed from its open on, the nearest target first', () => {
    const targets = { targets: [{ price: 110 }, { price: 105 }] };
    const both = facts([[100, 111, 99, 110]], targets).touches;
    expect(both.map(({ price }) => price)).toEqual([105, 110]);
    const invalidation: Invalidation[] = [{ kind: 'rises_above', threshold: 105 }];
    const gapped = facts([[106, 107, 94, 95]], plan(120, 95), { invalidation }).touches;
    expect(gapped.map(({ kind }) => kind)).toEqual(['rises_above', 'stop']);
  });

  test('a neutral decision may still name invalidation levels', () => {
    const { touches, first_touch } = facts(
      barriers,
      {},
      {
        direction: 'neutral',
        invalidation: [{ kind: 'rises_above', threshold: 102 }],
      },
    );
    expect(touches).toMatchObject([{ kind: 'rises_above', time: ends(3), fill_price: 102 }]);
    expect(first_touch).toBeNull();
  });

  test('a decision without levels has no level facts', () => {
    const path = { entry: { ts: start, price: 100 }, bars: [] };
    expect(levelFacts({ direction: 'bullish', price_targets: { entry: 99 }, invalidation: [] }, path)).toBeNull();
  });
});

describe('any path', () => {
  const price = fc.integer({ min: 90, max: 110 });
  const bar = fc.tuple(price, price, price, price).map((p): Prices => {
    const [open, close] = p;
    return [open, Math.max(...p), Math.min(...p), close];
  });

  test('touches a level at most once, in order, at a price that the bar traded', () => {
    fc.assert(
      fc.property(fc.array(bar, { maxLength: 12 }), price, price, fc.boolean(), (prices, target, stop, trailing) => {
        const { touches } = facts(prices, plan(target, stop, trailing ? 'trailing' : 'hard'));
        expect(new Set(touches.map(({ kind }) => kind)).size).toBe(touches.length);
        expect(touches.map(({ time }) => time)).toEqual(touches.map(({ time }) => time).toSorted());
        for (const { time, fill_price } of touches) {
          const minutes = (at(time) - start) / MINUTE;
          const near = [prices[minutes - 1], prices[minutes]].filter((each) => each !== undefined);
          expect(near.some(([, high, low]) => low <= fill_price && fill_price <= high)).toBe(true);
        }
      }),
    );
  });

  test('treats a bullish and a bearish decision as mirror images', () => {
    fc.assert(
      fc.property(fc.array(bar, { maxLength: 12 }), price, price, fc.boolean(), (prices, target, stop, trailing) => {
        const kind = trailing ? 'trailing' : 'hard';
        const mirrored = prices.map(([o, h, l, c]): Prices => [200 - o, 200 - l, 200 - h, 200 - c]);
        const bull = facts(prices, plan(target, stop, kind));
        const bear = facts(mirrored, plan(200 - target, 200 - stop, kind), { direction: 'bearish' });
        expect(bear.touches.map(({ kind, fill_price }) => [kind, 200 - fill_price])).toEqual(
          bull.touches.map(({ kind, fill_price }) => [kind, fill_price]),
        );
      }),
    );
  });
});
