import { describe, expect, test } from '@jest/globals';
import { rfc3339, utcDate } from '../../domain/time.ts';

describe('rfc3339', () => {
  test('equals Date.toISOString, for any instant', () => {
    const instants = Array.from({ length: 20_000 }, (_, n) => ((n * 2_654_435_761) % 2 ** 32) * (n % 2 ? 997 : -1_931));
    const edges = [
      0, -1, 1, 999, 1_000, 59_999, 86_399_999, 86_400_000, -86_400_000, 8.64e15, -8.64e15, 1_709_251_199_999,
    ];
    for (const at of [...instants, ...edges]) expect(rfc3339(at)).toBe(new Date(at).toISOString());
  });

  test('takes a Date as well, and cuts fractions of a millisecond', () => {
    expect(rfc3339(new Date('2024-02-29T23:59:59.007Z'))).toBe('2024-02-29T23:59:59.007Z');
    expect(rfc3339(1.9)).toBe('1970-01-01T00:00:00.001Z');
  });

  test('throws for a value that is no instant', () => {
    expect(() => rfc3339(Number.NaN)).toThrow(RangeError);
    expect(() => rfc3339(new Date('never'))).toThrow(RangeError);
    expect(() => utcDate(new Date(Number.NaN))).toThrow(RangeError);
  });
});
