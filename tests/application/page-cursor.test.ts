import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openCursor, sealCursor } from '../../application/page-cursor.ts';

const SECRET = 'the secret of the service';
const QUERY = ['records', 'owner', { market: 'crypto', since: new Date(0) }];
const PLACE = ['2026-01-30T14:30:00.000Z', 'dec_20260130_5c0ffee5', '17 743:760:745'];

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a cursor', () => {
  test('opens for the query that it was sealed for, any number of times', () => {
    const cursor = sealCursor(SECRET, QUERY, PLACE);
    for (const _ of [1, 2]) expect(openCursor(SECRET, structuredClone(QUERY), cursor)).toEqual(PLACE);
  });

  test('opens for no other query and under no other secret', () => {
    const cursor = sealCursor(SECRET, QUERY, PLACE);
    expect(openCursor(SECRET, ['records', 'other', QUERY[2]], cursor)).toBeNull();
    expect(openCursor(SECRET, [...QUERY, 1], cursor)).toBeNull();
    expect(openCursor('another secret', QUERY, cursor)).toBeNull();
  });

  test('does not reveal its content, not even whether two are of one place', () => {
    const [one, other] = [sealCursor(SECRET, QUERY, PLACE), sealCursor(SECRET, QUERY, PLACE)];
    expect(one).not.toBe(other);
    const bytes = Buffer.from(one, 'base64url').toString('latin1');
    for (const part of PLACE) expect([one.includes(part), bytes.includes(part)]).toEqual([false, false]);
  });

  test('never opens when it was changed anywhere, cut, or invented', () => {
    const cursor = sealCursor(SECRET, QUERY, PLACE);
    for (let at = 0; at < cursor.length; at++) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expect(openCursor(SECRET, QUERY, changed)).toBeNull();
      expect(openCursor(SECRET, QUERY, cursor.slice(0, at))).toBeNull();
    }
    expect(openCursor(SECRET, QUERY, `${cursor}A`)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => openCursor(SECRET, QUERY, text) === null));
  });

  test('has one spelling: another last character never opens, even where it decodes to the same bytes', () => {
    const lengths = new Set<number>();
    for (const padding of ['', 'x', 'xx']) {
      const cursor = sealCursor(SECRET, QUERY, [padding]);
      lengths.add(cursor.length % 4);
      for (const last of BASE64URL) {
        const opened = openCursor(SECRET, QUERY, `${cursor.slice(0, -1)}${last}`);
        expect(opened).toEqual(cursor.endsWith(last) ? [padding] : null);
      }
    }
    // A cursor of two or three characters above a multiple of four has spare bits; one of a multiple of four has none.
    expect(lengths).toEqual(new Set([0, 2, 3]));
  });
});
