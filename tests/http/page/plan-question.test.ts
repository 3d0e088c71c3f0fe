import { describe, expect, test } from '@jest/globals';
import { cohortOf, questionWords, requestOf } from '../../../adapters/http/page/browser/cohorts/plan-question.ts';

const MSFT = { market: 'stock', symbol: 'MSFT', direction: 'bullish', include_retroactive: true } as const;
const YEAR = { data_cutoff_since: '2003-01-01T00:00:00.000Z', data_cutoff_until: '2004-01-01T00:00:00.000Z' };

describe('the question of a plan', () => {
  test('is in the words of the view of its cohort', () => {
    expect(questionWords(MSFT)).toBe('MSFT, bullish, retroactive decisions included');
    expect(questionWords({ ...MSFT, ...YEAR })).toBe(
      'MSFT, bullish, data up to a time in 2003, retroactive decisions included',
    );
  });

  test('names also the filters that only agents have', () => {
    const more = {
      cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion',
      analysis_class: 'opinion',
      perspective_type: 'technical',
      result_bucket: 'strong_correct',
      method: 'eval/2',
      grid: 'fine',
      data_cutoff_since: '2003-01-02T14:30:00.000Z',
    } as const;
    expect(questionWords({ ...MSFT, ...more })).toBe(
      'MSFT, bullish, retroactive decisions included, of the cohort stock:msft:spot:usd:bullish:swing:opinion, ' +
        'analysis opinion, perspective technical, only strong correct, graded by eval/2, fine grid, ' +
        'data up to 2 Jan 2003, 14:30 UTC or later',
    );
    expect(
      questionWords({ market: 'crypto', include_retroactive: false, data_cutoff_until: YEAR.data_cutoff_until }),
    ).toBe('every crypto, all directions, stated before the outcome, data up to a time before 1 Jan 2004, 00:00 UTC');
  });

  test.each([
    [YEAR.data_cutoff_since, YEAR.data_cutoff_until, '2003'],
    ['2003-12-01T00:00:00.000Z', '2004-01-01T00:00:00.000Z', '2003-12'],
    ['2003-02-28T00:00:00.000Z', '2003-03-01T00:00:00.000Z', '2003-02-28'],
  ])('from %s to %s is the period %s of the view', (data_cutoff_since, data_cutoff_until, period) => {
    expect(cohortOf({ ...MSFT, data_cutoff_since, data_cutoff_until })).toBe(
      `#/cohorts?market=stock&symbol=MSFT&direction=bullish&period=${period}&include_retroactive=true`,
    );
  });

  test('leads to the view that counts exactly it', () => {
    const all = { venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD', horizon_kind: 'trading_days' } as const;
    expect(cohortOf({ ...MSFT, ...all, horizon_value: 5, include_retroactive: false })).toBe(
      '#/cohorts?market=stock&symbol=MSFT&direction=bullish&venue=NASDAQ&asset_class=spot&quote_currency=USD&horizon_kind=trading_days&horizon_value=5',
    );
  });

  test.each([
    [{ analysis_class: 'opinion' }],
    [{ perspective_type: 'technical' }],
    [{ result_bucket: 'weak_correct' }],
    [{ method: 'eval/1' }],
    [{ grid: 'coarse' }],
    [{ cohort_key: 'stock:msft:spot:usd:bullish:swing:opinion' }],
    [{ data_cutoff_since: YEAR.data_cutoff_since }],
    [{ data_cutoff_until: YEAR.data_cutoff_until }],
    [{ ...YEAR, data_cutoff_until: '2004-01-02T00:00:00.000Z' }],
  ] as const)('leads to no other cohort where the view cannot count it: %j', (more) => {
    expect(cohortOf({ ...MSFT, ...more })).toBeNull();
  });

  test('is what an agent sends', () => {
    expect(requestOf({ ...MSFT, grid: 'fine' })).toBe(
      '/api/v1/agent/wisdom?market=stock&symbol=MSFT&direction=bullish&include_retroactive=true&grid=fine',
    );
  });
});
