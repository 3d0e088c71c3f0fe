import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hiddenTexts } from '../../domain/hidden-texts.ts';
import { hiddenIn, isShown, shown, shownJson } from '../../domain/shown-text.ts';
import { PYTHON } from '../harness/python.ts';

const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
const ALLOWED = [0x09, 0x0a, 0x0d];

describe('a text is shown', () => {
  test('without any of the characters that Unicode lets readers ignore, and without controls', () => {
    const hidden = codes.filter((code) => !isShown(`a${String.fromCodePoint(code)}b`));
    const expected = codes.filter(
      (code) =>
        /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\ufff9-\ufffb\u2800\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]/u.test(
          String.fromCodePoint(code),
        ) && !ALLOWED.includes(code),
    );
    expect(hidden).toEqual(expected);
    expect(hidden.length).toBeGreaterThan(4_200);
  });

  test.each([
    ['a verb in Persian', 'می‌خواهم'],
    ['a plural in Persian', 'کتاب‌ها'],
    ['a letter of Arabic with a mark', 'بَ‌ب'],
    ['a conjunct in Hindi that stays apart', 'क्‌ष'],
    ['a half letter in Hindi', 'क्‍ष'],
    ['ra and ya in Bengali', 'র‍্যাব'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['a family', '👩‍👩‍👧‍👦'],
    ['an astronaut', '👩🏽‍🚀'],
    ['an eye in a bubble', '👁️‍🗨️'],
    ['a heart', '❤️ and ❤︎'],
    ['a keycap', '1️⃣'],
    ['Hebrew', 'שלום'],
    ['Chinese', '動量'],
    ['lines', 'a\n\tb\r\nc'],
    ['nothing', ''],
  ])('with a character where the writing needs it: %s', (_, text) => {
    expect([hiddenIn(text), shown(text), shownJson(text)]).toEqual([[], text, text]);
  });

  test.each([
    ['a joiner between Latin letters', 'a\u200db', 'a\\u{200D}b'],
    ['a non-joiner at the end of a word', 'می\u200c و', 'می\\u{200C} و'],
    ['a second one', 'می\u200c\u200cخ', 'می\\u{200C}\\u{200C}خ'],
    ['a joiner after an emoji', '👩\u200d', '👩\\u{200D}'],
    ['a second joiner', '👩\u200d\u200d🚀', '👩\\u{200D}\\u{200D}🚀'],
    ['a second selector', '❤\ufe0f\ufe0f', '❤\ufe0f\\u{FE0F}'],
    ['a selector after a digit', '5\ufe0f', '5\\u{FE0F}'],
    ['a selector after a letter', 'a\ufe0f', 'a\\u{FE0F}'],
    ['one of the supplement after an emoji', '😀\u{e0121}', '😀\\u{E0121}'],
    ['tags', 'a\u{e0068}\u{e0069}', 'a\\u{E0068}\\u{E0069}'],
  ])('not with %s', (_, text, escaped) => {
    expect([isShown(text), shown(text)]).toEqual([false, escaped]);
  });

  test('in JSON with the same value, and nothing hidden', () => {
    const character = fc.oneof(
      fc.constantFrom('\u200b', '\u200d', '\u{e0041}', '\u2028', '\u0085', '\ufeff', 'ب', '👩', '"', '\\'),
      fc.string({ unit: 'grapheme', maxLength: 1 }),
    );
    const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const json = shownJson(JSON.stringify(value));
        expect(isShown(json)).toBe(true);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('in its own form: what was escaped is shown', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isShown(shown(text))));
  });
});

describe('a refusal', () => {
  test('names the first characters with their positions, counted in characters', () => {
    const value = { name: '😀\u200bb', list: ['ok', { 'a\u00ad': 'x\u{e0041}\u0007\u202e\ufe01' }], meta: '\u200b' };
    expect(hiddenTexts(value, new Set(['meta']))).toEqual([
      { path: 'name', message: 'must not contain U+200B ZERO WIDTH SPACE at position 2: remove it' },
      { path: 'list.1.a\\u{00AD}', message: 'must not be a name with U+00AD SOFT HYPHEN at position 2: remove it' },
      {
        path: 'list.1.a\\u{00AD}',
        message:
          'must not contain U+E0041 (a tag character) at position 2, U+0007 (a control character) at position 3, ' +
          'U+202E RIGHT-TO-LEFT OVERRIDE at position 4 and 1 more that do not show: remove them',
      },
    ]);
  });

  test('has the names of Unicode, as Python knows them', () => {
    const named = codes.flatMap((code) => {
      const [{ message = '' } = {}] = hiddenTexts([`a${String.fromCodePoint(code)}b`]);
      const name = / U\+[0-9A-F]+ ([A-Z][A-Z -]+) at/.exec(message)?.[1];
      return name === undefined ? [] : [[code, name] as const];
    });
    expect(named.length).toBeGreaterThan(20);
    const program =
      'import json, sys, unicodedata; print(json.dumps([unicodedata.name(chr(c)) for c in json.load(sys.stdin)]))';
    const known = execFileSync(PYTHON, ['-c', program], { input: JSON.stringify(named.map(([code]) => code)) });
    expect(JSON.parse(`${known}`)).toEqual(named.map(([, name]) => name));
  });

  test('lists no more texts than a reply may', () => {
    expect(hiddenTexts(Array.from({ length: 5_000 }, () => '\u200b'))).toHaveLength(200);
  });
});
