import { describe, expect, test } from '@jest/globals';
import { PROBLEMS, Problem, type ProblemCode, type ProblemKind } from '../../domain/problem.ts';

const table = Object.entries(PROBLEMS) as [ProblemCode, ProblemKind][];

describe('the table of errors', () => {
  test.each(table)('%s has the status of the table and says what to do', (code, { category, status, suggestion }) => {
    const problem = new Problem(code, 'What happened');
    expect(problem).toMatchObject({ code, category, status, suggestion, message: 'What happened' });
    expect(suggestion).toMatch(/^[A-Z].{10,}\.$/);
  });

  test('every 429 and 503 says when to try again', () => {
    const waiting = table.filter(([, { status }]) => status === 429 || status === 503);
    expect(waiting.map(([code]) => new Problem(code, '').retry_after_seconds)).not.toContain(null);
    expect(waiting).toHaveLength(8);
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
