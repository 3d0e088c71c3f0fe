import { describe, expect, test } from '@jest/globals';
import { canonicalJson } from '../../../../adapters/formats/canonical-json.ts';
import { Malformed, utf8 } from '../../../../domain/log/encoding.ts';
import { isNewerLeaf, type LogLeaf, leafBytes, leafOf } from '../../../../domain/log/leaves/leaf.ts';

const HEX = '0f'.repeat(32);

/** Every type of log.md with the bytes that it has for good. */
const GOLDEN: readonly (readonly [string, LogLeaf])[] = [
  ['{"last":null,"t":"log","v":1}', { t: 'log', last: null, v: 1 }],
  [`{"last":"${HEX}","t":"log","v":1}`, { t: 'log', last: HEX, v: 1 }],
  [`{"c":"${HEX}","t":"decision","v":1}`, { t: 'decision', c: HEX, v: 1 }],
  [`{"c":"${HEX}","mark":"${HEX}","t":"decision","v":2}`, { t: 'decision', c: HEX, mark: HEX, v: 2 }],
  [`{"c":"${HEX}","t":"imported","v":1}`, { t: 'imported', c: HEX, v: 1 }],
  [`{"o":"${HEX}","of":7,"t":"outcome","v":1}`, { t: 'outcome', o: HEX, of: 7, v: 1 }],
  ['{"of":0,"reason":"rejected","t":"closed","v":1}', { t: 'closed', of: 0, reason: 'rejected', v: 1 }],
  ['{"of":9007199254740991,"t":"reopened","v":1}', { t: 'reopened', of: 2 ** 53 - 1, v: 1 }],
  [`{"sha256":"${HEX}","t":"snapshot","v":1}`, { t: 'snapshot', sha256: HEX, v: 1 }],
  [`{"sha256":"${HEX}","t":"dataset","v":1}`, { t: 'dataset', sha256: HEX, v: 1 }],
  [`{"sha256":"${HEX}","t":"names","v":1}`, { t: 'names', sha256: HEX, v: 1 }],
  [`{"c":"${HEX}","t":"plan","v":1}`, { t: 'plan', c: HEX, v: 1 }],
  [
    `{"of":"stancebook.example/log/1","root":"${HEX}","size":1100,"t":"continues","v":1}`,
    { t: 'continues', of: 'stancebook.example/log/1', root: HEX, size: 1_100, v: 1 },
  ],
];

describe('a leaf', () => {
  test.each(GOLDEN)('%s is written and read, in RFC 8785 form', (text, leaf) => {
    expect(leafBytes(leaf)).toEqual(utf8(text));
    expect(leafOf(utf8(text))).toEqual(leaf);
    expect(canonicalJson(leaf)).toBe(text);
  });

  test.each([
    ['white space', `{"c":"${HEX}", "t":"decision","v":1}`],
    ['another order', `{"t":"decision","c":"${HEX}","v":1}`],
    ['a further member', `{"a":1,"c":"${HEX}","t":"decision","v":1}`],
    ['a member twice', `{"c":"${HEX}","t":"decision","t":"decision","v":1}`],
    ['a member missing', '{"t":"decision","v":1}'],
    ['no version', `{"c":"${HEX}","t":"decision"}`],
    ['another version', `{"c":"${HEX}","t":"decision","v":2}`],
    ['an unknown type', `{"c":"${HEX}","t":"decided","v":1}`],
    ['a type of every object', `{"c":"${HEX}","t":"toString","v":1}`],
    ['upper-case digits', `{"c":"${HEX.toUpperCase()}","t":"decision","v":1}`],
    ['a short digest', `{"c":"${HEX.slice(2)}","t":"decision","v":1}`],
    ['a negative index', '{"of":-1,"t":"reopened","v":1}'],
    ['an index with an exponent', '{"of":1e3,"t":"reopened","v":1}'],
    ['an index above 2^53 - 1', '{"of":9007199254740992,"t":"reopened","v":1}'],
    ['an unknown reason', '{"of":0,"reason":"lost","t":"closed","v":1}'],
    ['an escaped character', '{"of":0,"t":"reopene\\u0064","v":1}'],
    ['a byte order mark', '\ufeff{"of":0,"t":"reopened","v":1}'],
    ['an index in the place of an origin', `{"of":7,"root":"${HEX}","size":1,"t":"continues","v":1}`],
    ['an origin in the place of an index', '{"of":"a.example/log/1","t":"reopened","v":1}'],
    ['an origin of two lines', `{"of":"a\\nb","root":"${HEX}","size":1,"t":"continues","v":1}`],
    ['an empty origin', `{"of":"","root":"${HEX}","size":1,"t":"continues","v":1}`],
    ['a negative size', `{"of":"a.example/log/1","root":"${HEX}","size":-1,"t":"continues","v":1}`],
    ['an array', '[]'],
    ['nothing', ''],
  ])('with %s is refused', (_, text) => {
    expect(() => leafOf(utf8(text))).toThrow(Malformed);
  });

  test('that is not UTF-8 is refused', () => {
    expect(() => leafOf(Uint8Array.of(0xff))).toThrow(Malformed);
  });
});

test.each([
  ['a version of tomorrow', `{"c":"${HEX}","t":"decision","v":3}`, true],
  ['a type of tomorrow', `{"c":"${HEX}","t":"decided","v":1}`, true],
  ['a version that one type has and another has not', `{"c":"${HEX}","t":"plan","v":2}`, true],
  ['a numbered decision without its mark', `{"c":"${HEX}","t":"decision","v":2}`, false],
  ['a decision of before numbers with a mark', `{"c":"${HEX}","mark":"${HEX}","t":"decision","v":1}`, false],
  ['no JSON', '{', false],
])('%s: %s is of a newer release: %s', (_, text, isNewer) => {
  expect(isNewerLeaf(utf8(text))).toBe(isNewer);
  expect(() => leafOf(utf8(text))).toThrow(Malformed);
});
