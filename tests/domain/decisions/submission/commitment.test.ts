import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { sha256Hex } from '../../../../application/sha256.ts';
import { commitmentOf, statementOf } from '../../../../domain/decisions/submission/commitment.ts';

/** Computed with Python's hashlib from texts written by hand. */
const VECTORS = [
  {
    salt: Uint8Array.from({ length: 32 }, (_, index) => index),
    body: '{"meta":{"€":"ü\\u2028😀"},"symbol":"BTC"}',
    record_id: 'dec_20260130_5c0ffee5',
    at: '2026-01-30T23:59:59.007Z',
    commitment: 'be0a3d3fa6c8445bf6e7bb152776e171ca53d7da6de51ccb4803a030c7dfc1a3',
  },
  {
    salt: new Uint8Array(32),
    body: '{}',
    record_id: 'dec_19700101_00000000',
    at: '1970-01-01T00:00:00.000Z',
    commitment: '5d197e7629309ce400691c1c33055be088cfaddf2cc1b753e82458675c814942',
  },
];

test.each(VECTORS)('the commitment of $record_id', ({ salt, body, record_id, at, commitment }) => {
  expect(commitmentOf(salt, statementOf(body, record_id, new Date(at)), sha256Hex)).toBe(commitment);
});

test('the statement is the RFC 8785 form of body, record_id and submission_time', () => {
  const record_id = 'dec_20260130_5c0ffee5';
  const time = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), time, (body, at) => {
      const whole = canonicalize({ body, record_id, submission_time: at.toISOString() });
      expect(statementOf(canonicalize(body) ?? '', record_id, at)).toBe(whole);
    }),
  );
});
