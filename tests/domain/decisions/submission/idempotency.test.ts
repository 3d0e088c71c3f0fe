import { describe, expect, test } from '@jest/globals';
import {
  isKeyInForce,
  isMissingValue,
  type Receipt,
  repetitionOf,
} from '../../../../domain/decisions/submission/receipt.ts';
import { HOUR } from '../../../../domain/time.ts';

const receipt = { record_id: 'dec_20240102_0123abcd' } as Receipt;

describe('a submission with an idempotency key', () => {
  test('is new where nothing is recorded, or without a key', () => {
    expect(repetitionOf({ key: 'k', fingerprint: 'a' }, null)).toBeNull();
    expect(repetitionOf(null, { fingerprint: 'a', receipt })).toBeNull();
  });

  test('replays the recorded receipt for the same body', () => {
    const sent = { key: 'k', fingerprint: 'a' };
    expect(repetitionOf(sent, { fingerprint: 'a', receipt })).toEqual({ verdict: 'replayed', receipt });
  });

  test('is refused for another body', () => {
    const sent = { key: 'k', fingerprint: 'b' };
    expect(repetitionOf(sent, { fingerprint: 'a', receipt })).toEqual({ verdict: 'key_reused' });
  });
});

test('a key is in force for 48 h, to the millisecond', () => {
  const used = new Date('2024-01-02T03:04:05.678Z');
  const after = (millis: number) => new Date(used.getTime() + millis);
  expect(isKeyInForce(used, after(48 * HOUR - 1))).toBe(true);
  expect(isKeyInForce(used, after(48 * HOUR))).toBe(false);
});

test('the texts that programs write for a missing value, in any case, and no others', () => {
  for (const text of ['null', 'None', 'NONE', 'undefined', 'Undefined', 'nil', '<nil>', '(null)', 'NaN', "'null'"])
    expect([text, isMissingValue(text)]).toEqual([text, true]);
  for (const text of ['nullable', 'a-null', 'none-1', 'nilpotent', 'nan-1', '<1>', '0', ''])
    expect([text, isMissingValue(text)]).toEqual([text, false]);
});
