import { describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { barsOfText, barText, inStretches } from '../../../domain/market/bar-cache.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';

const price = fc.double({ min: Number.MIN_VALUE, max: 1e12, noNaN: true });
const anyBar = fc.record({
  gap: fc.nat({ max: 10 * DAY }),
  length: fc.integer({ min: 1, max: DAY }),
  open: price,
  high: price,
  low: price,
  close: price,
  volume: fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e15, noNaN: true }).map(Math.abs)),
  split: price,
  total: price,
});
const anyBars = fc.array(anyBar, { maxLength: 30 }).map((rows) => {
  let end = Date.UTC(2003, 1, 1);
  return rows.map(({ gap, length, ...rest }): Bar => {
    const start = end + gap;
    end = start + length;
    return { start, end, ...rest };
  });
});

test('bars are read as they were written, to the last bit', () => {
  fc.assert(fc.property(anyBars, (bars) => expect(barsOfText(barText(bars))).toEqual(bars)));
});

test('the text is in RFC 8785 form', () => {
  fc.assert(fc.property(anyBars, (bars) => expect(barText(bars)).toBe(canonicalize(JSON.parse(barText(bars))))));
});

test('even bars of a steady minute are short', () => {
  expect(barText([minute(0), minute(1), minute(2)])).toBe(
    '{"close":2,"count":3,"first":0,"high":4,"length":60000,"low":1,"open":[3,3.5,4],"split":1,"step":60000,"total":1,"volume":null}',
  );
});

test('a number that is not finite is refused, not written as null', () => {
  expect(() => barText([{ ...minute(0), volume: Number.NaN }])).toThrow(TypeError);
  expect(() => barText([minute(0), { ...minute(1), high: Number.POSITIVE_INFINITY }])).toThrow(TypeError);
});

describe('a text that does not contain bars is refused:', () => {
  const sound = JSON.parse(barText([minute(0), minute(1)]));
  test.each([
    ['not JSON', 'bars'],
    ['no object', '7'],
    ['null', 'null'],
    ['no count', { ...sound, count: undefined }],
    ['a count that is no number', { ...sound, count: '2' }],
    ['a column too short', { ...sound, open: [1] }],
    ['a column too long', { ...sound, open: [1, 2, 3] }],
    ['a column of texts', { ...sound, close: ['1', '2'] }],
    ['a missing column', { ...sound, low: undefined }],
    ['a price of null', { ...sound, high: null }],
    ['more bars than a record has', barText([minute(0)]).replace('"count":1', '"count":1000001')],
  ])('%s', (_, text) => {
    expect(() => barsOfText(typeof text === 'string' ? text : JSON.stringify(text))).toThrow(TypeError);
  });
});

test('stretches begin at fixed times, so that series which overlap share the inner ones', () => {
  const minutes = Array.from({ length: 40 }, (_, i) => minute(i));
  const [all, later] = [inStretches('1m', minutes, 8), inStretches('1m', minutes.slice(3), 8)];
  expect(all.flat()).toEqual(minutes);
  expect(all.map(({ length }) => length)).toEqual([8, 8, 8, 8, 8]);
  expect(later.map(({ length }) => length)).toEqual([5, 8, 8, 8, 8]);
  expect(later.slice(1)).toEqual(all.slice(1));
});

function minute(i: number): Bar {
  const start = i * MINUTE;
  return { start, end: start + MINUTE, open: 3 + i / 2, high: 4, low: 1, close: 2, volume: null, split: 1, total: 1 };
}
