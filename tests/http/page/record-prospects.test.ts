import { expect, test } from '@jest/globals';
import { dueNext, troubleWords } from '../../../adapters/http/page/browser/account/overview/overview-words.ts';
import { UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';

const due = (expected_evaluation_at: string | null) => ({ expected_evaluation_at });

test('what is expected is listed with the next one first; what is never expected is not', () => {
  const rows = [due('2026-03-09T12:00:00Z'), due(null), due('2026-03-01T00:00:00Z'), due('2026-03-03T00:00:00Z')];
  const [late, , first, second] = rows;
  expect(dueNext(rows)).toEqual([first, second, late]);
});

const WAITING = {
  expected_evaluation_at: null,
  quarantine_reason: null,
  evaluation: { attempts: 3, next_check_at: null, last_error: null, evaluated_at: null },
};
const at = (time: string) => `noon of ${time}`;

test('every state without an outcome, and those that wait, say what can be done', () => {
  for (const lifecycle_state of [...UNAVAILABLE_STATES, 'deferred', 'pending_verify'] as const) {
    const words = troubleWords({ ...WAITING, lifecycle_state }, at);
    expect(words).toMatch(/Nothing to do|Submit the decision again|[Oo]perator/);
  }
});

test('the reason of the last attempt and the time of the next one are shown', () => {
  const evaluation = { ...WAITING.evaluation, last_error: 'coinbase is paused', next_check_at: 'Monday' };
  expect(troubleWords({ ...WAITING, lifecycle_state: 'deferred', evaluation }, at)).toBe(
    'Its prices are not settled yet. Nothing to do: the service tries again by itself. Reason: coinbase is paused. ' +
      'The next attempt is at noon of Monday.',
  );
});

test('a quarantined record shows the reason of the operator', () => {
  const words = troubleWords({ ...WAITING, lifecycle_state: 'quarantined', quarantine_reason: 'bad split' }, at);
  expect(words).toBe('An operator withdrew it from what is public: bad split. Ask the operator.');
});
