import { expect, test } from '@jest/globals';
import { withoutOutcomeWords } from '../../../adapters/http/page/browser/records/record-facts.ts';
import { LIFECYCLE_STATES, UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';

const AT = {
  expected_evaluation_at: '2026-03-02T12:00:00Z',
  evaluation: { next_check_at: null, last_error: null },
};

test('a record without an outcome shows when the outcome is expected', () => {
  expect(withoutOutcomeWords({ ...AT, lifecycle_state: 'verified' })).toBe(
    'There is no outcome yet. It is verified; its outcome is expected by 2 Mar 2026, 12:00 UTC.',
  );
});

test('a record whose window no configured source covers promises no outcome, and gives the reason', () => {
  const evaluation = { next_check_at: '2026-03-02T12:04:00Z', last_error: 'NO_PRICE_SOURCE: no source' };
  expect(withoutOutcomeWords({ expected_evaluation_at: null, evaluation, lifecycle_state: 'verified' })).toBe(
    'There is no outcome yet, and none is expected. It is verified. Reason: NO_PRICE_SOURCE: no source.',
  );
});

test('a record that will get no outcome says so', () => {
  const promised = LIFECYCLE_STATES.filter((lifecycle_state) =>
    withoutOutcomeWords({ ...AT, lifecycle_state }).includes('expected'),
  );
  expect(promised).toEqual(LIFECYCLE_STATES.filter((state) => !UNAVAILABLE_STATES.includes(state)));
  expect(withoutOutcomeWords({ ...AT, lifecycle_state: 'data_unavailable' })).toBe(
    'There is no outcome, and without an operator there will be none. It is data unavailable.',
  );
});

test('a failed attempt shows its reason and the time of the next one, and no expectation', () => {
  const evaluation = { next_check_at: '2026-03-02T12:04:00Z', last_error: 'coinbase is paused' };
  expect(withoutOutcomeWords({ ...AT, evaluation, lifecycle_state: 'pending_verify' })).toBe(
    'There is no outcome yet. It is pending verify. The last attempt failed: coinbase is paused. ' +
      'The next attempt is at 2 Mar 2026, 12:04 UTC.',
  );
  const revived = { next_check_at: null, last_error: 'It failed.' };
  expect(withoutOutcomeWords({ ...AT, evaluation: revived, lifecycle_state: 'pending_verify' })).toContain(
    'The last attempt failed: It failed. The next attempt is soon.',
  );
  expect(withoutOutcomeWords({ ...AT, evaluation, lifecycle_state: 'rejected' })).toBe(
    'There is no outcome, and without an operator there will be none. It is rejected. Reason: coinbase is paused.',
  );
});
