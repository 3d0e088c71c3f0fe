import { expect, test } from '@jest/globals';
import { metaText, whatToDo } from '../../../adapters/http/page/browser/records/record-facts.ts';
import { LIFECYCLE_STATES, UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { PRICE_GAPS } from '../../../domain/grading/bars/price-gap.ts';
import { DEFERRALS, UNAVAILABILITIES } from '../../../domain/grading/evaluation.ts';

test('meta is the text that the agent sent, whatever a parser makes of its numbers', () => {
  const text = '{"big":9007199254740993,"price":1.10}';
  const statement = JSON.stringify({ body: { meta: text } });
  expect(metaText({ meta: JSON.parse(text), commitment_opening: { salt: '', statement } })).toBe(text);
  const earlier = JSON.stringify({ body: { meta: { a: 1 } } });
  expect(metaText({ meta: { a: 1 }, commitment_opening: { salt: '', statement: earlier } })).toBe('{"a":1}');
  expect(metaText({ meta: null, commitment_opening: { salt: '', statement } })).toBeNull();
});

test('every reason for no outcome has a next step', () => {
  for (const reason of [...DEFERRALS, ...UNAVAILABILITIES, ...PRICE_GAPS]) {
    expect([reason, whatToDo('data_unavailable', `${reason}: a detail`)]).toEqual([
      reason,
      expect.stringMatching(/\.$/),
    ]);
  }
});

test('every state without an outcome to come has a next step, and an open decision needs none', () => {
  const advised = LIFECYCLE_STATES.filter((state) => whatToDo(state, null) !== null);
  expect(advised.toSorted()).toEqual(UNAVAILABLE_STATES.toSorted());
  expect(whatToDo('rejected', 'No source knows this instrument.')).toContain('spelling');
  expect(whatToDo('deferred', 'coinbase is paused')).toBeNull();
});
