import { describe, expect, test } from '@jest/globals';
import { PROBLEMS, Problem, type ProblemCode, type ProblemKind } from '../../domain/problem.ts';

const table = Object.entries(PROBLEMS) as [ProblemCode, ProblemKind][];

/** All others are ended by another request, or by a person. */
const ENDED_BY_A_WAIT: readonly ProblemCode[] = [
  'AUTHORIZATION_PENDING',
  'SLOW_DOWN',
  'NOT_LOGGED_YET',
  'RECORD_BEING_EVALUATED',
  'DAILY_QUOTA_EXCEEDED',
  'RETROACTIVE_QUOTA_EXCEEDED',
  'DUPLICATE_SUBMISSION',
  'RATE_LIMIT_EXCEEDED',
  'SUBMIT_FREQUENCY_EXCEEDED',
  'SERVICE_UNAVAILABLE',
  'RECORD_OPEN',
];

describe('the table of errors', () => {
  test.each(table)('%s has the status of the table and says what to do', (code, { category, status, suggestion }) => {
    const problem = new Problem(code, 'What happened');
    expect(problem).toMatchObject({ code, category, status, suggestion, message: 'What happened' });
    expect(suggestion).toMatch(/^[A-Z].{10,}\.$/);
  });

  test.each(table)('%s gives a time to wait exactly if a wait ends it', (code, { wait }) => {
    const ends = ENDED_BY_A_WAIT.includes(code);
    expect(new Problem(code, '').retry_after_seconds).toBe(wait);
    expect(wait).toEqual(ends ? expect.any(Number) : null);
    const withFigure = () => new Problem(code, '', { retry_after_seconds: 7 }).retry_after_seconds;
    if (ends) expect(withFigure()).toBe(7);
    else expect(withFigure).toThrow(RangeError);
  });

  test('a status must be one that the table allows for the code', () => {
    expect(new Problem('VALIDATION_ERROR', '', { status: 422 }).status).toBe(422);
    expect(() => new Problem('NOT_FOUND', '', { status: 422 })).toThrow(RangeError);
  });

  test('the time to wait is a whole number of seconds, at least one', () => {
    expect(new Problem('RATE_LIMIT_EXCEEDED', '', { retry_after_seconds: 0.2 }).retry_after_seconds).toBe(1);
    expect(new Problem('RATE_LIMIT_EXCEEDED', '', { retry_after_seconds: 7.1 }).retry_after_seconds).toBe(8);
    expect(new Problem('NOT_FOUND', '').retry_after_seconds).toBeNull();
  });
});
