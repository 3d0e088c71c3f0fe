import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { VALUE_TYPES } from '../../../../adapters/postgres/kit/pool.ts';

const { TIMESTAMPTZ, TEXT } = pg.types.builtins;

describe('an instant is read as pg reads it', () => {
  const ours = VALUE_TYPES.getTypeParser(TIMESTAMPTZ, 'text');
  const theirs = pg.types.getTypeParser(TIMESTAMPTZ, 'text');

  test('in the form that a session in UTC writes', () => {
    for (let n = 0; n < 5_000; n += 1) {
      const at = new Date(n * 1_234_567_890 + (n % 2));
      const text = `${at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.?0*Z$/, '')}+00`;
      expect(ours(text)).toEqual(at);
      expect(ours(text)).toEqual(theirs(text));
    }
  });

  test.each([
    '2026-01-30 14:30:00+00',
    '2026-01-30 14:30:00.1+00',
    '2026-01-30 14:30:00.12+00',
    '2026-01-30 14:30:00.123456+00',
    '2026-01-30 14:30:00.123+01',
    '2026-01-30 14:30:00+05:30',
    '0044-03-15 12:00:00.125+00',
    '0044-03-15 12:00:00+00 BC',
    '10000-01-01 00:00:00.5+00',
    '12026-01-01 00:00:00.5+00',
    'infinity',
    '-infinity',
  ])('as %s', (text) => {
    expect(ours(text)).toEqual(theirs(text));
  });

  test('and other types are left to pg', () => {
    expect(VALUE_TYPES.getTypeParser(TEXT, 'text')).toBe(pg.types.getTypeParser(TEXT, 'text'));
    expect(VALUE_TYPES.getTypeParser(TIMESTAMPTZ, 'binary')).toBe(pg.types.getTypeParser(TIMESTAMPTZ, 'binary'));
  });
});
