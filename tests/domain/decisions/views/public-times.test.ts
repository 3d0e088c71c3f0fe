import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluatedUntil } from '../../../../domain/cohorts/cohort-filter.ts';
import { minuteOf, publicEvaluationTime } from '../../../../domain/decisions/views/public-views.ts';

const at = (time: string) => new Date(`2026-03-02T${time}Z`);

test.each([
  ['12:00:00.000', '12:00:00.000', '12:00:00.000'],
  ['12:00:00.001', '12:00:00.000', '12:01:00.000'],
  ['12:00:59.999', '12:00:00.000', '12:01:00.000'],
])('%s is received at %s and evaluated at %s', (exact, received, evaluated) => {
  expect([minuteOf(at(exact)), publicEvaluationTime(at(exact))]).toEqual([at(received), at(evaluated)]);
});

test('what as_of includes is what it would include of the times that others see', () => {
  const time = fc.integer({ min: -200_000, max: 200_000 }).map((millis) => new Date(at('12:00:00').getTime() + millis));
  fc.assert(
    fc.property(time, time, (evaluated_at, as_of) => {
      const until = evaluatedUntil({ market: 'crypto', include_retroactive: true, as_of });
      expect(until !== undefined && evaluated_at <= until).toBe(publicEvaluationTime(evaluated_at) <= as_of);
    }),
  );
});
