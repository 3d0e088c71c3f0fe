import { expect, test } from '@jest/globals';
import {
  laterReader,
  possibleReadings,
  type ReadRecord,
  remembering,
} from '../../../domain/decisions/later-reading.ts';
import { nameBook } from '../../../domain/market/name-book.ts';
import { aStatement, learned } from '../../builders/names.ts';

const source = { kind: 'exchange', name: 'NYSE' } as const;
/** Learned at 12:00 and 12:01 of 1 November 2026: the second one weighs more. */
const BOOK = nameBook(
  learned(aStatement({ name: 'OLD', key: 'FIRST', source }), aStatement({ name: 'OLD', key: 'SECOND' })),
);

/** Sent as OLD, and read as this. */
const sentAsOld = (symbol: string, submission_time: string): ReadRecord => ({
  ...{ record_id: 'dec_20261101_00000001', market: 'stock', symbol, venue: 'NYSE', asset_class: 'spot' },
  ...{ quote_currency: 'USD', submitted_symbol: 'OLD', name: 'OLD', erased: false, graded: null },
  ...{ received_symbol: null, received_cohort_key: null, counted_since: null, wrong_security: false },
  anchor_time: new Date('2026-03-02T15:00:00Z'),
  end_time: new Date('2026-03-09T15:00:00Z'),
  submission_time: new Date(submission_time),
});

test.each([
  ['before an import began', 'FIRST', '2026-11-01T12:00:30Z'],
  ['by the former names while an import was under way', 'FIRST', '2026-11-01T12:01:30Z'],
  ['by the names of the import', 'SECOND', '2026-11-01T12:01:30Z'],
])('what was received %s counts by the name that was sent', (_, received, at) => {
  const record = sentAsOld(received, at);
  expect(laterReader(BOOK).read(record)).toMatchObject({ symbol: 'SECOND' });
  const graded = { at: new Date('2026-11-02T12:00:00Z'), source: 'test', names: 'of_date' } as const;
  expect(possibleReadings(BOOK, { ...record, graded })).toContainEqual({ symbol: 'SECOND', wrong_security: false });
});

test('what was received days after an import was read by it', () => {
  const record = sentAsOld('FIRST', '2026-11-05T12:00:00Z');
  expect(laterReader(BOOK).read(record)).toMatchObject({ symbol: 'FIRST' });
});

test('a reader remembers a bounded number of readings, each of them right', () => {
  const known = remembering<number, number>(3);
  let computed = 0;
  const squareOf = (key: number) =>
    known(key, () => {
      computed += 1;
      return key * key;
    });
  expect([1, 2, 1, 2, 2].map(squareOf)).toEqual([1, 4, 1, 4, 4]);
  expect(computed).toBe(2);
  expect([1, 2, 3, 4, 1, 4].map(squareOf)).toEqual([1, 4, 9, 16, 1, 16]);
  // 4 was one more than it holds, so that 1 was computed again.
  expect(computed).toBe(5);
});
