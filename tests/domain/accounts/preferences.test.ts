import { describe, expect, test } from '@jest/globals';
import { isLocaleTag, isZoneName, mergePreferences, type PreferencesPatch } from '../../../domain/accounts/profile.ts';

const merged = (stored: object, patch: object) => mergePreferences(stored, patch as PreferencesPatch);

describe('merging preferences', () => {
  // RFC 7396, appendix A, as far as both sides are objects.
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (stored, patch, expected) => {
    expect(merged({ notify: stored }, { notify: patch })).toEqual({ notify: expected });
    expect(merged(stored, patch)).toEqual(expected);
  });

  test('changes neither of its arguments', () => {
    const [stored, patch] = [{ notify: { a: { b: 1 } } }, { notify: { a: { c: 2 } } }];
    merged(stored, patch);
    expect([stored, patch]).toEqual([{ notify: { a: { b: 1 } } }, { notify: { a: { c: 2 } } }]);
  });

  test('names of prototype members are plain data', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null}',
    );
    const result = merged({ notify: {} }, { notify: hostile });
    expect(Object.getPrototypeOf(result.notify)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(result.notify))).toEqual(
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(merged({ notify: { constructor: { a: 1 } } }, { notify: { constructor: null } })).toEqual({ notify: {} });
  });

  test('at most 8 KiB of JSON are stored, counted as UTF-8', () => {
    const frame = Buffer.byteLength(JSON.stringify({ notify: { a: '' } }));
    const euros = Math.floor((8_192 - frame) / 3);
    const full = '€'.repeat(euros) + 'x'.repeat(8_192 - frame - 3 * euros);
    expect(merged({}, { notify: { a: full } }).notify).toEqual({ a: full });
    expect(() => merged({ notify: { a: full } }, { notify: { b: 1 } })).toThrow(/at most 8192 are kept/);
    expect(() => merged({}, { notify: { a: `${full}x` } })).toThrow(expect.objectContaining({ status: 400 }));
    expect(merged({ notify: { a: full } }, { notify: { a: null, b: full } }).notify).toEqual({ b: full });
  });
});

test.each(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Asia/Kolkata', 'US/Eastern'])(
  '%s is a time zone',
  (name) => expect(isZoneName(name)).toBe(true),
);

test.each(['', 'Berlin', 'Europe/', '+01:00', '-0530', 'GMT+25', 'Europe/Berlin ', 'Mars/Phobos', '../etc/passwd'])(
  '%j is no time zone',
  (name) => expect(isZoneName(name)).toBe(false),
);

test.each(['en', 'en-GB', 'zh-Hant-TW', 'de-CH-1996', 'sr-Latn', 'ar-u-nu-latn'])('%s is a locale', (tag) =>
  expect(isLocaleTag(tag)).toBe(true),
);

test.each(['', 'e', 'en_GB', 'en-', 'en-abcdefghi', 'en GB', '*', '42'])('%j is no locale', (tag) =>
  expect(isLocaleTag(tag)).toBe(false),
);
