import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../../../../../adapters/http/kit/input/json-text.ts';
import { Problem } from '../../../../../domain/problem.ts';

function refusalOf(text: string): Problem {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

test('any sound document is read as JSON.parse reads it', () => {
  const sound = fc.jsonValue({ maxDepth: 6 }).filter((value) => !JSON.stringify(value).match(/__proto__|\\u0000|\\ud/));
  fc.assert(
    fc.property(sound, fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

describe('where a text breaks', () => {
  const cases: [string, number][] = [
    ['{"a":1,}', 7],
    ['{"a":tru}', 8],
    ['[1, 2, x]', 7],
    ['{"a":"b"', 8],
    ['nul', 3],
    [`{"a":[${'1,'.repeat(5_000)}?]}`, 10_006],
  ];
  test.each(cases)('%.20s: position %d', (text, position) => {
    expect(refusalOf(text).message).toContain(`position ${position} `);
  });

  test('the message contains line and column too', () => {
    expect(refusalOf('{\n  "a": ?\n}').message).toContain('(line 2, column 8)');
  });
});

describe('what cannot be stored or read alike is refused', () => {
  const cases: [string, string, string][] = [
    ['a member named twice', '{"a":{"b":1,"b":2}}', 'b'],
    ['a member named twice in other letters', '{"a":1,"\\u0061":2}', 'a'],
    ['U+0000 in a value', '{"a":["\\u0000"]}', 'a.0'],
    ['half a surrogate pair', '{"a":"\\ud800"}', 'a'],
    ['half a pair in a name', '{"x":{"\\udc00":1}}', 'x'],
    ['__proto__', '{"a":{"__proto__":{}}}', 'a.__proto__'],
  ];
  test.each(cases)('%s', (_, text, path) => {
    const { code, details } = refusalOf(text);
    expect(code).toBe('MALFORMED_BODY');
    expect(details?.map((detail) => detail.path)).toEqual([path]);
  });

  test('33 levels are refused and 32 are taken', () => {
    expect(refusalOf('['.repeat(33) + ']'.repeat(33)).details?.[0]?.message).toContain('32 levels');
    expect(parseJson('['.repeat(32) + ']'.repeat(32))).toBeInstanceOf(Array);
    expect(refusalOf('['.repeat(30_000) + ']'.repeat(30_000)).code).toBe('MALFORMED_BODY');
  });

  test.each([[''], [' \n']])('an empty body', (text) => {
    expect(refusalOf(text).message).toBe('The body is empty.');
  });
});

test('colons and quotes inside strings do not look like members', () => {
  expect(parseJson('{"a":"\\"b\\": 1","c":":"}')).toEqual({ a: '"b": 1', c: ':' });
});
