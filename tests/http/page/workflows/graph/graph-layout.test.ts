import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type Box,
  type Layout,
  type Line,
  layoutOf,
  rowsOf,
  SIZES,
} from '../../../../../adapters/http/page/browser/workflows/graph/graph-layout.ts';

const box: Box = { inputs: ['in'], outputs: ['out'] };
const line = (from: number, to: number, input = 'in'): Line => ({ from, output: 'out', to, input });

test.each([
  ['a chain', 3, [line(0, 1), line(1, 2)], [0, 1, 2]],
  ['a step that is listed after the one it feeds', 2, [line(1, 0)], [1, 0]],
  ['a short way next to a long one', 3, [line(0, 2), line(0, 1), line(1, 2)], [0, 1, 2]],
  ['steps without connections', 2, [], [0, 0]],
  ['a step that feeds itself', 1, [line(0, 0)], [0]],
])('rows follow the connections: %s', (_, boxes, lines, rows) => {
  expect(rowsOf(boxes, lines)).toEqual(rows);
});

test('a circle is opened at one connection, and the other ones still lead downwards', () => {
  const circle = [line(0, 1), line(1, 2), line(2, 0)];
  const rows = rowsOf(3, circle);
  expect(circle.filter(({ from, to }) => (rows[from] ?? 0) >= (rows[to] ?? 0))).toHaveLength(1);
});

test('a straight chain is upright, and its line bends nowhere', () => {
  const { boxes, routes } = layoutOf([box, box], [line(0, 1)]);
  expect(boxes.map(({ y }) => y)).toEqual([0, SIZES.height + SIZES.gap]);
  expect(new Set(routes[0]?.map(({ x }) => x)).size).toBe(1);
});

const graph = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.record({
    boxes: fc.array(
      fc.record({
        inputs: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')),
        outputs: fc.uniqueArray(fc.constantFrom('a', 'b')),
      }),
      { minLength: size, maxLength: size },
    ),
    lines: fc.array(
      fc.record({
        from: fc.nat(size - 1),
        output: fc.constantFrom('a', 'b'),
        to: fc.nat(size - 1),
        input: fc.constantFrom('a', 'b', 'c'),
      }),
      { maxLength: 24 },
    ),
  }),
);

test('boxes never touch, whatever is connected', () => {
  fc.assert(fc.property(graph, ({ boxes, lines }) => expect(touching(layoutOf(boxes, lines))).toEqual([])));
});

function touching({ boxes }: Layout): readonly string[] {
  return boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b, j) => {
      const isApart = a.y !== b.y || a.x + a.width + 10 < b.x || b.x + b.width + 10 < a.x;
      return isApart ? [] : [`${i} and ${i + 1 + j}`];
    }),
  );
}

test('no line that leads downwards runs through a box', () => {
  fc.assert(fc.property(graph, ({ boxes, lines }) => expect(crossed(layoutOf(boxes, lines), lines)).toEqual([])));
});

/** Within a row a line is upright between the top and the bottom of the boxes, so its points there are enough. */
function crossed({ boxes, routes }: Layout, lines: readonly Line[]): readonly string[] {
  return routes.flatMap((route, at) => {
    const { from = 0, to = 0 } = lines[at] ?? {};
    if ((boxes[from]?.y ?? 0) >= (boxes[to]?.y ?? 0)) return [];
    return route.slice(1, -1).flatMap(({ x, y }) => {
      const hit = boxes.findIndex(
        (each) => each.y <= y && y <= each.y + SIZES.height && each.x < x && x < each.x + each.width,
      );
      return hit < 0 ? [] : [`line ${at} and box ${hit}`];
    });
  });
}

test('the same draft has the same drawing, and nothing lies outside of it', () => {
  fc.assert(
    fc.property(graph, ({ boxes, lines }) => {
      const layout = layoutOf(boxes, lines);
      expect(layoutOf(boxes, lines)).toEqual(layout);
      // A lane may be further to the left than every box.
      const points = [...layout.boxes, ...layout.routes.flat()];
      expect(Math.min(...points.map(({ x }) => x))).toBeGreaterThanOrEqual(0);
      expect(Math.min(...layout.boxes.map(({ y }) => y))).toBe(0);
    }),
  );
});
