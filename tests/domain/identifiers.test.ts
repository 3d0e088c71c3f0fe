import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AGENT_ID, agentId, RECORD_ID, recordId, uuidV7 } from '../../domain/identifiers.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const instant = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-12-31'), noInvalidDate: true });

test('a record id carries the UTC date of its receipt', () => {
  expect(recordId(new Date('2026-03-02T23:59:59.999Z'), '5c0ffee5')).toBe('dec_20260302_5c0ffee5');
  expect('dec_20260302_5c0ffee5').toMatch(RECORD_ID);
});

test('an agent id is agt_ and 12 hex digits', () => {
  fc.assert(fc.property(bytes(6), (random) => expect(agentId(random)).toMatch(AGENT_ID)));
});

test('a UUID is of version 7, keeps its random bits and sorts by time', () => {
  fc.assert(
    fc.property(instant, instant, bytes(10), bytes(10), (a, b, one, other) => {
      const [first, second] = [uuidV7(a, one), uuidV7(b, other)];
      expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      if (a < b) expect(first < second).toBe(true);
    }),
  );
  const all = new Uint8Array(10).fill(255);
  expect(uuidV7(new Date(0), all)).toBe('00000000-0000-7fff-bfff-ffffffffffff');
});
