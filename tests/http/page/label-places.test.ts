import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { labelPlaces, overlaps } from '../../../adapters/http/page/browser/records/path-points.ts';

const AREA = { width: 320, height: 280 };
const wish = { x: 100, y: 100, width: 60, height: 16, side: 'above' } as const;

test('a label stands next to its point, on the side that it wants', () => {
  const [above, below] = labelPlaces([wish, { ...wish, side: 'below' }], AREA);
  expect(above).toEqual({ x: 70, y: 76, width: 60, height: 16 });
  expect(below).toEqual({ x: 70, y: 108, width: 60, height: 16 });
});

test('a label at an end of the area leans inwards', () => {
  const places = labelPlaces(
    [
      { ...wish, x: 2 },
      { ...wish, x: 319 },
      { ...wish, y: 3 },
    ],
    AREA,
  );
  expect(places.map(({ x, y }) => [x, y])).toEqual([
    [0, 76],
    [260, 76],
    [70, 11],
  ]);
});

test('the label of a level is on its line, and moves along it where another one is', () => {
  const level = { x: 280, width: 60, height: 16, side: 'on' } as const;
  const places = labelPlaces(
    [100, 106, 98].map((y) => ({ ...level, y })),
    AREA,
  );
  expect(places.map(({ y, height }) => y + height / 2)).toEqual([100, 106, 98]);
  expect(places.map(({ x }) => x)).toEqual([250, 178, 106]);
});

test('up to eight labels of one chart cover neither each other nor a dot, wherever their points are', () => {
  const wishes = fc.array(
    fc.record({
      x: fc.integer({ min: 0, max: 320 }),
      y: fc.integer({ min: 0, max: 280 }),
      width: fc.integer({ min: 20, max: 130 }),
      height: fc.constant(16),
      side: fc.constantFrom('above' as const, 'below' as const),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(wishes, (all) => {
      const dots = all.slice(0, 3).map(({ x, y }) => ({ x: x - 5, y: y - 5, width: 10, height: 10 }));
      const places = labelPlaces(all, AREA, dots);
      const others = (at: number) => [...places.filter((_, n) => n !== at), ...dots];
      expect(places.filter((place, at) => others(at).some((other) => overlaps(place, other)))).toEqual([]);
      for (const { x, y, width, height } of places) {
        expect(x >= 0 && y >= 0 && x + width <= AREA.width && y + height <= AREA.height).toBe(true);
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});
