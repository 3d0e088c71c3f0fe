import { expect, test } from '@jest/globals';
import {
  agentCautions,
  agentFilters,
  type Comparison,
  cohortCautions,
  cohortOf,
  compareAddress,
  isWhole,
  questionOf,
} from '../../../adapters/http/page/browser/cohorts/compare-query.ts';
import { overview as cohortOverview } from '../../../adapters/http/shapes/cohorts/cohort.ts';

const asked = (query: string): Comparison => questionOf(new URLSearchParams(query), 'agt_000000000001');
const NOTHING = { b: '', instrument: '', direction: '', horizon: '', origin: '' };

test('an address names what is compared; what it leaves out or misnames filters nothing', () => {
  expect(asked('')).toEqual({ ...NOTHING, a: 'agt_000000000001' });
  const question = asked('a=agt_2&b=cohort&instrument=stock:BRK.B&direction=bullish&horizon=3600&origin=realtime');
  expect(asked(compareAddress(question).split('?')[1] ?? '')).toEqual(question);
  expect([isWhole(question), isWhole(asked('a=agt_2&b=cohort&origin=realtime'))]).toEqual([false, true]);
  expect([asked('b=cohort&horizon=0-3600').horizon, asked('horizon=3600').horizon]).toEqual(['', '']);
  expect(asked('instrument=MSFT').instrument).toBe('');
});

test('the agent and the cohort next to it have the same filters', () => {
  const question = asked('b=cohort&instrument=crypto:BTC&direction=bearish&horizon=3600&origin=realtime');
  expect(agentFilters(question)).toEqual({
    ...{ symbol: 'BTC', direction: 'bearish' },
    ...{ holding_seconds_min: '3600', holding_seconds_max: '3600' },
  });
  const cohort = { market: 'crypto', symbol: 'BTC', direction: 'bearish', horizon_kind: 'holding_seconds' };
  expect(cohortOf(question)).toEqual({ ...cohort, horizon_value: '3600' });
  expect(cohortOf({ ...question, horizon: '', direction: '', origin: 'retroactive' })).toEqual({
    ...{ market: 'crypto', symbol: 'BTC', include_retroactive: 'true' },
  });
  expect(cohortOf({ ...question, instrument: '' })).toBeNull();
});

test.each([
  ['3601-86400', { holding_seconds_min: '3601', holding_seconds_max: '86400' }],
  ['2592001-', { holding_seconds_min: '2592001' }],
])('the range of horizons %s has its ends', (horizon, filters) => {
  expect(agentFilters(asked(`horizon=${horizon}`))).toEqual(filters);
});

const counted = { strong_correct: 4, weak_correct: 3, weak_incorrect: 2, strong_incorrect: 1 };
const none = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 10 };
const windows = { instruments: 1, instrument_days: 9, max_concurrent: 2, disjoint: 6 };
const had_said = { bullish: counted, bearish: none, neutral: none };

test('next to an agent a cohort says that it has its decisions, both kinds, overlap, and one direction alone', () => {
  const overview = cohortOverview.parse({
    ...{ sample_count: 10, retroactive_count: 7, result_distribution: counted, had_said, windows },
    ...{ time_range: null, suppression: { applied: false, reason: null, min_producers: 5, min_samples: 10 } },
  });
  const all = cohortCautions(overview, { horizon: '', origin: 'retroactive' }).join('\n');
  for (const words of [
    'this agent too',
    '7 of 10 were stated after',
    ': 6 do not',
    'shows the market',
    'it counts one',
  ])
    expect(all).toContain(words);
  const apart = { ...overview, had_said: { bullish: none, bearish: none, neutral: none } };
  const few = cohortCautions(
    { ...apart, windows: { ...windows, disjoint: 10 } },
    { horizon: '60', origin: 'realtime' },
  );
  expect(few.join('\n')).not.toMatch(/stated after|do not\.|shows the market|it counts one/);
  expect(few.length).toBe(2);
});

test('an agent whose windows do not overlap, stated before, in several directions, needs no caution', () => {
  const counts = { evaluated_count: 10, unavailable_count: 0, windows, result_distribution: counted, had_said };
  const careful = agentCautions({ ...counts, unavailable_count: 2 }, 'retroactive').join('\n');
  for (const words of ['could have known', ': 6 do not', 'shows the market', '2\u00a0decisions ended without'])
    expect(careful).toContain(words);
  const plain = { ...counts, windows: { ...windows, disjoint: 10 }, had_said: null };
  expect(agentCautions(plain, 'realtime')).toEqual([]);
});
