import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Schemas } from '../../clients/typescript/client/wire.ts';
import { xoshiro128 } from '../../clients/typescript/stats/permutation-test.ts';
import {
  averageUniqueness,
  benjaminiHochberg,
  type CountedShare,
  cautionsOf,
  disjointWindows,
  type JudgedDecision,
  permutationTest,
  readShare,
  type WindowedDecision,
  wilsonInterval,
} from '../../clients/typescript/stats.ts';
import { DIRECTIONS } from '../../domain/decisions/call.ts';
import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import { runPython } from './python/run-python.ts';

interface Vectors {
  readonly wilson: readonly Record<'count' | 'of' | 'confidence' | 'low' | 'high', number>[];
  readonly benjamini_hochberg: readonly {
    readonly p: readonly number[];
    readonly rate: number;
    readonly adjusted: readonly number[];
    readonly found: readonly boolean[];
  }[];
  readonly permutation_test: readonly {
    readonly decisions: readonly JudgedDecision[];
    readonly count: number;
    readonly expected: number;
    readonly p: number;
  }[];
}

/** What statsmodels and scipy calculate: make_vectors.py in the same folder. */
const VECTORS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/stats/vectors.json'), 'utf8'),
) as Vectors;

type PythonCall = readonly [name: string, [positional: readonly unknown[], options: Readonly<Record<string, unknown>>]];

/** What the functions of the Python client return, or the texts of their ValueErrors. */
async function inPython(calls: readonly PythonCall[]): Promise<readonly { result?: unknown; fault?: string }[]> {
  const input = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  const { status, stdout, stderr } = await runPython([join(import.meta.dirname, 'python/run_stats.py')], {}, input);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const MINUTE = 60_000;

/** A window in minutes. */
function windowed(start: number, end: number, symbol = 'MSFT'): WindowedDecision {
  const timeOf = (minute: number) => new Date(Date.UTC(2026, 0, 5) + minute * MINUTE).toISOString();
  const instrument = { market: 'stock', symbol, venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' } as const;
  return { ...instrument, window: { anchor_time: timeOf(start), end_time: timeOf(end) } };
}

const anyWindows = fc.array(
  fc
    .record({ start: fc.nat(40), length: fc.integer({ min: 1, max: 20 }), symbol: fc.constantFrom('MSFT', 'AAPL') })
    .map(({ start, length, symbol }) => windowed(start, start + length, symbol)),
  { maxLength: 12 },
);

const bucket = fc.constantFrom(...RESULT_BUCKETS);
const anyDecisions = fc.array(
  fc.record({
    direction: fc.constantFrom(...DIRECTIONS),
    outcome: fc.option(fc.record({ had_said: fc.record({ bullish: bucket, bearish: bucket, neutral: bucket }) })),
  }),
  { maxLength: 20 },
);

const anyCounts = fc.record({
  strong_correct: fc.nat(9),
  weak_correct: fc.nat(9),
  weak_incorrect: fc.nat(9),
  strong_incorrect: fc.nat(9),
});

/** What an overview shows, in combinations that no service sends, too. Now and then it is of one direction. */
const anyOverview = fc
  .record({
    sample_count: fc.option(fc.nat(36), { freq: 9 }),
    retroactive_count: fc.nat(2),
    result_distribution: fc.option(fc.oneof(anyCounts, fc.constant(countsOf(0))), { freq: 9 }),
    had_said: fc.option(fc.record({ bullish: anyCounts, bearish: anyCounts, neutral: anyCounts }), { freq: 3 }),
    windows: fc.option(
      fc.record({
        instruments: fc.nat(3),
        instrument_days: fc.nat(9),
        max_concurrent: fc.nat(3),
        disjoint: fc.nat(40),
      }),
      { freq: 3 },
    ),
    largest_owner_share: fc.constantFrom('up_to_a_third' as const, 'more' as const, null),
    ungraded: fc.option(
      fc.record({
        rejected: fc.nat(1),
        data_unavailable: fc.array(fc.record({ reason: fc.constant('coverage'), total: fc.nat(2) }), { maxLength: 2 }),
      }),
      { freq: 3 },
    ),
    isOfOne: fc.nat(3).map((n) => n === 0),
  })
  .map(({ isOfOne, had_said, ...overview }) => {
    const { result_distribution } = overview;
    const said = isOfOne && had_said && result_distribution ? { ...had_said, bearish: result_distribution } : had_said;
    return { ...overview, had_said: said } as Schemas['CohortOverview'];
  });

const anyShareOptions = fc.record(
  {
    buckets: fc.uniqueArray(bucket),
    confidence: fc.constantFrom(0.5, 0.9, 0.99),
    looks: fc.integer({ min: 1, max: 50 }),
  },
  { requiredKeys: [] },
);

const ANY_OVERVIEW = { result_distribution: countsOf(1), had_said: null, windows: { disjoint: 2 } };

function countsOf(each: number) {
  return { strong_correct: each, weak_correct: each, weak_incorrect: each, strong_incorrect: each };
}

/** In the spelling of Python. Its normal distribution differs in the last digits. */
function asPythonShare(share: CountedShare | null) {
  if (!share) return null;
  const { hadSaid, aboveOneDirection, interval, ...rest } = share;
  const ends = interval && [expect.closeTo(interval.low, 12), expect.closeTo(interval.high, 12)];
  return { ...rest, interval: ends, had_said: hadSaid, above_one_direction: aboveOneDirection };
}

describe('statsmodels', () => {
  test('has the same Wilson intervals as both clients', async () => {
    const calls = VECTORS.wilson.map(
      ({ count, of, confidence }): PythonCall => ['wilson_interval', [[count, of, confidence], {}]],
    );
    const python = await inPython(calls);
    for (const [i, { count, of, confidence, low, high }] of VECTORS.wilson.entries()) {
      const own = wilsonInterval(count, of, confidence);
      for (const [from, to] of [[own.low, own.high] as const, python[i]?.result as [number, number]]) {
        expect([from, to]).toEqual([expect.closeTo(low, 12), expect.closeTo(high, 12)]);
      }
    }
  });

  test('adjusts the same p in the same way as both clients', async () => {
    const questions = VECTORS.benjamini_hochberg.map(({ p }) => p.map((each, i) => ({ question: `q${i}`, p: each })));
    const python = await inPython(
      VECTORS.benjamini_hochberg.map(({ rate }, i): PythonCall => ['benjamini_hochberg', [[questions[i], rate], {}]]),
    );
    for (const [i, { rate, adjusted, found }] of VECTORS.benjamini_hochberg.entries()) {
      const own = benjaminiHochberg(questions[i] ?? [], rate);
      expect(own.map((each) => each.found)).toEqual(found);
      expect(own.map((each) => each.adjusted)).toEqual(adjusted.map((each) => expect.closeTo(each, 14)));
      expect(python[i]?.result).toEqual(own);
    }
  });
});

describe('scipy, over all orders of few decisions,', () => {
  test.each(VECTORS.permutation_test.map((each, i) => [i, each] as const))(
    'has the p that list %i has, but for the chance of so many permutations',
    (_, { decisions, count, expected, p }) => {
      for (const seed of [1, 2, 3]) {
        const own = permutationTest(decisions, { seed, permutations: 20_000 });
        expect(own).toMatchObject({ count, of: decisions.length, permutations: 20_000 });
        expect(own?.expected).toBeCloseTo(expected, 12);
        expect(Math.abs((own?.p ?? 2) - p)).toBeLessThanOrEqual(5 * Math.sqrt((p * (1 - p)) / 20_000) + 1 / 20_000);
      }
    },
  );
});

describe('both clients', () => {
  test('deal the same permutations for the same seed', async () => {
    const lists = [
      ...VECTORS.permutation_test.map((each) => each.decisions),
      ...fc.sample(anyDecisions, { numRuns: 20, seed: 5 }),
    ];
    const seeds = lists.map((_, i) => [0, 1, 4_294_967_295, 0x9e3779b9, 20_261_124][i % 5] ?? 0);
    const python = await inPython(
      lists.map((list, i): PythonCall => ['permutation_test', [[list], { seed: seeds[i], permutations: 499 }]]),
    );
    const own = lists.map((list, i) => permutationTest(list, { seed: seeds[i] ?? 0, permutations: 499 }));
    const asPython = own.map((each) => {
      if (!each) return null;
      const { atLeast, ...rest } = each;
      return { ...rest, at_least: atLeast };
    });
    expect(python.map(({ result }) => result)).toEqual(asPython);
  });

  test('find the same windows apart, and the same uniqueness', async () => {
    const lists = fc.sample(anyWindows, { numRuns: 30, seed: 7 });
    const python = await inPython(
      lists.flatMap((list): PythonCall[] => [
        ['average_uniqueness', [[list], {}]],
        ['disjoint_windows', [[list], {}]],
      ]),
    );
    expect(python.map(({ result }) => result)).toEqual(
      lists.flatMap((list) => [averageUniqueness(list), disjointWindows(list)]),
    );
  });

  test('read the same share of a cohort, and the same cautions', async () => {
    const overviews = fc.sample(anyOverview, { numRuns: 200, seed: 11 });
    const options = fc.sample(anyShareOptions, { numRuns: 200, seed: 12 });
    const python = await inPython(
      overviews.flatMap((overview, i): PythonCall[] => [
        ['read_share', [[overview], options[i] ?? {}]],
        ['cautions_of', [[overview], {}]],
      ]),
    );
    const own = overviews.flatMap((overview, i) => [
      asPythonShare(readShare(overview, options[i])),
      cautionsOf(overview),
    ]);
    expect(python.map(({ result }) => result)).toEqual(own);
    const cautions = new Set(overviews.flatMap((overview) => cautionsOf(overview)));
    expect([cautions.size, own.some((each) => each === null)]).toEqual([10, true]);
  });

  test('refuse the same arguments', async () => {
    const backwards = windowed(2, 2);
    const refused: readonly (readonly [PythonCall, () => unknown])[] = [
      [['wilson_interval', [[11, 10], {}]], () => wilsonInterval(11, 10)],
      [['wilson_interval', [[1, 2, 1], {}]], () => wilsonInterval(1, 2, 1)],
      [['read_share', [[ANY_OVERVIEW], { looks: 0 }]], () => readShare(ANY_OVERVIEW, { looks: 0 })],
      [['read_share', [[ANY_OVERVIEW], { confidence: 1 }]], () => readShare(ANY_OVERVIEW, { confidence: 1 })],
      [['average_uniqueness', [[[backwards]], {}]], () => averageUniqueness([backwards])],
      [['disjoint_windows', [[[backwards]], {}]], () => disjointWindows([backwards])],
      [['permutation_test', [[[]], { seed: -1 }]], () => permutationTest([], { seed: -1 })],
      [['permutation_test', [[[]], { seed: 2 ** 32 }]], () => permutationTest([], { seed: 2 ** 32 })],
      [['permutation_test', [[[]], { permutations: 0 }]], () => permutationTest([], { permutations: 0 })],
      [
        ['benjamini_hochberg', [[[{ question: 'a', p: 1.1 }]], {}]],
        () => benjaminiHochberg([{ question: 'a', p: 1.1 }]),
      ],
      [['benjamini_hochberg', [[[], 1], {}]], () => benjaminiHochberg([], 1)],
    ];
    const python = await inPython(refused.map(([call]) => call));
    for (const [i, [, calculate]] of refused.entries()) {
      expect(calculate).toThrow(RangeError);
      expect(python[i]).toEqual({ fault: expect.stringMatching(/\.$/) });
    }
  });
});

test('the draws are those of the reference implementation of xoshiro128**', () => {
  const next = xoshiro128([1, 2, 3, 4]);
  expect(Array.from({ length: 10 }, next)).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ]);
});

describe('the uniqueness of windows', () => {
  /** Lopez de Prado, section 4.5.3: the labels 1, 2 and 3 depend on the bars 1 to 3, 3 to 4 and 5 to 6. */
  const [first, second, third] = [windowed(0, 3), windowed(2, 4), windowed(4, 6)] as const;

  test('is that of the numerical example of the book', () => {
    expect(averageUniqueness([second, first])[1]).toBeCloseTo(5 / 6, 12);
    expect(averageUniqueness([second, second])[1]).toBeCloseTo(1 / 2, 12);
    expect(averageUniqueness([second, third])[1]).toBe(1);
    expect(averageUniqueness([first, second, third])).toEqual([
      expect.closeTo(5 / 6, 12),
      expect.closeTo(3 / 4, 12),
      1,
    ]);
  });

  test('is what a count of every minute gives', () => {
    fc.assert(
      fc.property(anyWindows, (decisions) => {
        const spans = decisions.map(({ symbol, window }) => ({
          symbol,
          minutes: new Set(minutesOf(window)),
        }));
        const counted = spans.map(({ symbol, minutes }) => {
          const shares = [...minutes].map(
            (minute) => 1 / spans.filter((each) => each.symbol === symbol && each.minutes.has(minute)).length,
          );
          return shares.reduce((sum, share) => sum + share, 0) / shares.length;
        });
        expect(averageUniqueness(decisions)).toEqual(counted.map((share) => expect.closeTo(share, 10)));
      }),
    );
  });

  function minutesOf({ anchor_time, end_time }: WindowedDecision['window']): number[] {
    const [start, end] = [Date.parse(anchor_time) / MINUTE, Date.parse(end_time) / MINUTE];
    return Array.from({ length: end - start }, (_, i) => start + i);
  }
});

test('no choice of windows apart is larger than the one that is returned', () => {
  const apart = (a: WindowedDecision, b: WindowedDecision) =>
    a.symbol !== b.symbol || a.window.end_time <= b.window.anchor_time || b.window.end_time <= a.window.anchor_time;
  const areApart = (chosen: readonly WindowedDecision[]) =>
    chosen.every((one, i) => chosen.slice(i + 1).every((other) => apart(one, other)));
  fc.assert(
    fc.property(
      anyWindows.map((all) => all.slice(0, 9)),
      (decisions) => {
        let most = 0;
        for (let choice = 0; choice < 2 ** decisions.length; choice += 1) {
          const chosen = decisions.filter((_, i) => (choice >> i) & 1);
          if (chosen.length > most && areApart(chosen)) most = chosen.length;
        }
        const found = disjointWindows(decisions);
        expect([areApart(found), found.length]).toEqual([true, most]);
      },
    ),
  );
});

describe('a permutation test', () => {
  test('has the p of its seed for good', () => {
    const { decisions = [] } = VECTORS.permutation_test.at(-1) ?? {};
    expect(permutationTest(decisions, { seed: 20_261_124 })).toMatchObject({ atLeast: 335 });
  });

  const always = { bullish: 'strong_correct', bearish: 'strong_incorrect', neutral: 'weak_incorrect' } as const;
  const never = { bullish: 'strong_incorrect', bearish: 'strong_correct', neutral: 'weak_incorrect' } as const;
  const decisions = (directions: string) =>
    [...directions].map((letter, i) => ({
      direction: letter === 'u' ? ('bullish' as const) : ('bearish' as const),
      outcome: { had_said: i % 2 === 0 ? always : never },
    }));
  beforeAll(() => expect(DIRECTIONS).toEqual(['bullish', 'bearish', 'neutral']));

  test('says that one direction in all windows shows no choice', () => {
    expect(permutationTest(decisions('uuuuuuuu'), { permutations: 99 })).toEqual({
      ...{ count: 4, of: 8, expected: 4, permutations: 99, atLeast: 99, p: 1 },
    });
  });

  test('says how rare it is that chance deals every window its direction', () => {
    const all = permutationTest(decisions('udududududud'));
    expect(all).toMatchObject({ count: 12, of: 12, expected: 6, permutations: 9_999 });
    // One order of 924.
    expect(all?.p).toBeGreaterThan(0);
    expect(all?.p).toBeLessThan(0.003);
  });

  test('leaves out what is not graded, and says nothing of nothing', () => {
    const ungraded = { direction: 'neutral', outcome: null } as const;
    expect(permutationTest([ungraded])).toBeNull();
    expect(permutationTest([...decisions('ud'), ungraded], { seed: 9 })).toEqual(
      permutationTest(decisions('ud'), { seed: 9 }),
    );
  });

  test('counts the buckets that are asked for', () => {
    expect(permutationTest(decisions('uu'), { buckets: ['strong_incorrect'] })).toMatchObject({
      count: 1,
      expected: 1,
    });
  });
});

test('a question that was asked twice counts once, with its larger p', () => {
  const asked = [
    { question: 'MSFT', p: 0.04 },
    { question: 'AAPL', p: 0.01 },
    { question: 'MSFT', p: 0.03 },
  ];
  expect(benjaminiHochberg(asked)).toEqual([
    { question: 'MSFT', p: 0.04, adjusted: 0.04, found: true },
    { question: 'AAPL', p: 0.01, adjusted: 0.02, found: true },
  ]);
});
