import { expect, test } from '@jest/globals';
import { Z_EDGES, zPlace, zScale } from '../../../adapters/http/page/browser/records/z-scale.ts';
import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { hadSaid } from '../../../domain/grading/bucket.ts';

test('the edges are those of all buckets, on both sides of 0', () => {
  expect(Z_EDGES.map((edge) => edge.toFixed(2))).toEqual(['-1.15', '-0.67', '-0.32', '0.00', '0.32', '0.67', '1.15']);
});

test('the part of a row that contains a move has the bucket that the direction would have got', () => {
  const moves = [-3, -1.2, -1, -0.5, -0.1, 0.1, 0.5, 1, 1.2, 3];
  const { rows } = zScale(moves);
  for (const move of moves) {
    const found = rows.map(({ parts }) => parts.find(({ from, to }) => from < move && move < to)?.bucket);
    expect(found).toEqual(DIRECTIONS.map((direction) => hadSaid(move)[direction]));
  }
});

test('the parts of a row cover the scale without gaps, four for a direction and seven for neutral', () => {
  const { rows, from, to } = zScale([0.76]);
  expect(rows.map(({ parts }) => parts.length)).toEqual([4, 4, 7]);
  for (const { parts } of rows) {
    expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
    for (const [at, part] of parts.slice(1).entries()) expect(part.from).toBe(parts[at]?.to);
  }
});

test('the scale contains every move, and 0 is in its middle', () => {
  const scale = zScale([0.2, -4.5]);
  expect(scale.from).toBeLessThan(-4.5);
  expect([zPlace(scale, 0, 600), zPlace(scale, scale.to, 600), zPlace(scale, scale.from, 600)]).toEqual([300, 600, 0]);
  expect(zScale([]).to).toBe(2);
});
