import { expect, test } from '@jest/globals';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { isPublic, isPublicTarget, mayRead } from '../../../domain/decisions/visibility.ts';

test.each(LIFECYCLE_STATES)(
  'a record that is %s is public only if it is evaluated, and always exists for its owner',
  (lifecycle_state) => {
    const record = { lifecycle_state, owner_id: 'me' };
    const evaluated = lifecycle_state === 'evaluated';
    expect(isPublic(record)).toBe(evaluated);
    expect(mayRead(record, 'me')).toBe(true);
    expect(mayRead(record, 'other')).toBe(evaluated);
    expect(mayRead(record, null)).toBe(evaluated);
  },
);

test('others see a link to a record that is public now and was so before the link', () => {
  const submission_time = new Date(1_000);
  const target = { lifecycle_state: 'evaluated', evaluated_at: new Date(999) } as const;
  expect(isPublicTarget(target, { submission_time })).toBe(true);
  expect(isPublicTarget({ ...target, evaluated_at: submission_time }, { submission_time })).toBe(false);
  expect(isPublicTarget({ ...target, evaluated_at: null }, { submission_time })).toBe(false);
  expect(isPublicTarget({ ...target, lifecycle_state: 'quarantined' }, { submission_time })).toBe(false);
});
