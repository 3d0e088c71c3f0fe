import { expect, test } from '@jest/globals';
import type { Detail } from '../../../adapters/http/page/browser/kit/wire.ts';
import { decisionFacts, outcomeFacts } from '../../../adapters/http/page/browser/records/record-facts.ts';
import { factsExample, outcomeExample } from '../../../adapters/http/shapes/decisions/outcome.ts';

test('an outcome names its method, what each direction would have got, and what is doubtful about its prices', () => {
  const record = { result_bucket: 'strong_correct', direction: 'bullish', market: 'stock' } as Detail;
  const { move_z, had_said } = outcomeExample;
  const factOf = (outcome: Parameters<typeof outcomeFacts>[1], name: string) =>
    outcomeFacts(record, outcome)
      .find(([each]) => each === name)?.[1]
      .replaceAll('\u00a0', ' ');
  expect(factOf(outcomeExample, 'Method')).toBe('eval/3');
  expect(factOf(outcomeExample, 'In this window')).toBe(
    'bullish strong correct, bearish strong incorrect, neutral weak incorrect',
  );
  const observed = 'bar-files, bars of 1d, 5 of 5 observed';
  expect(factOf(outcomeExample, 'Prices')).toBe(`${observed}, 5 with trades on a path of 5`);
  expect(factOf({ ...outcomeExample, carried_open: true, suspected_split: true }, 'Prices')).toBe(
    `${observed}, 5 with trades on a path of 5, most opens before it repeat the close before, ` +
      'a jump looks like a split that is not known',
  );
  expect(factOf(outcomeExample, 'Timing')).toBe(
    '1,800 seconds from the start of the window to the entry, 0 seconds from the exit to its end',
  );
  expect([factOf(outcomeExample, 'Price step'), factOf(outcomeExample, 'Nights')]).toEqual(['0.0037', '31.19 %']);
  const earlier = { ...factsExample, move_z, had_said };
  expect([factOf(earlier, 'Method'), factOf(earlier, 'Prices')]).toEqual(['eval/1', observed]);
  expect([factOf(earlier, 'Timing'), factOf({ ...outcomeExample, omega: null }, 'Nights')]).toEqual([
    undefined,
    undefined,
  ]);
});

test('a decision says what it counts as, where a statement was learned later', () => {
  const record = {
    ...{ symbol: 'FB', market: 'stock', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
    ...{ direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5, analysis_class: 'opinion' },
    ...{ window: { anchor_time: '2021-03-01T15:00:00Z', end_time: '2021-03-05T21:00:00Z' } },
    ...{ data_cutoff: '2021-03-01T15:00:00Z', submission_time: '2026-03-02T12:00:00Z' },
  } as unknown as Detail;
  const shown = (changes: object) =>
    decisionFacts({ ...record, ...changes } as Detail, undefined).flatMap(([name, value]) =>
      ['Counts as', 'Prices'].includes(name) ? [value] : [],
    );
  expect(shown({})).toEqual([]);
  const counted_as = { symbol: 'META', cohort_key: 'stock:meta', since: '2026-03-02T12:00:00Z' };
  expect(shown({ counted_as, wrong_security: true })).toEqual([
    expect.stringMatching(/^META, since /),
    'of another security: no cohort counts the outcome',
  ]);
});
