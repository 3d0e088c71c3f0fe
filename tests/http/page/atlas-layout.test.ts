import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { placesOf } from '../../../adapters/http/page/browser/home/atlas-layout.ts';
import { ATLAS } from '../../../domain/limits.ts';

const networks = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.record({
    nodes: fc.array(fc.record({ width: fc.integer({ min: 18, max: 240 }), height: fc.integer({ min: 39, max: 66 }) }), {
      minLength: count,
      maxLength: count,
    }),
    links: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count - 1)), { maxLength: 80 }),
  }),
);

const covering = (nodes: readonly { width: number; height: number }[], places: ReturnType<typeof placesOf>) =>
  places.flatMap((one, a) =>
    places.slice(a + 1).filter((other, b) => {
      const [size, next] = [nodes[a], nodes[a + 1 + b]];
      const [width, height] = [(size?.width ?? 0) + (next?.width ?? 0), (size?.height ?? 0) + (next?.height ?? 0)];
      return Math.abs(one.x - other.x) < width / 2 && Math.abs(one.y - other.y) < height / 2;
    }),
  );

test('no node covers another or its label, and the same network has the same places', () => {
  fc.assert(
    fc.property(networks, ({ nodes, links }) => {
      const places = placesOf(nodes, links);
      expect(places.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
      expect(covering(nodes, places)).toEqual([]);
      expect(placesOf(nodes, links)).toEqual(places);
    }),
    { numRuns: 60, seed: 3 },
  );
});

test('the largest atlas has room for every label', () => {
  const nodes = Array.from({ length: ATLAS.nodes }, (_, at) => ({ width: 30 + ((at * 37) % 160), height: 57 }));
  const links = nodes.flatMap((_, at) => [[at, (at * 7) % 60] as const, [at, (at * 13) % 240] as const]);
  expect(covering(nodes, placesOf(nodes, links))).toEqual([]);
});

test('nodes that are linked are nearer than those that are not', () => {
  const nodes = Array.from({ length: 12 }, () => ({ width: 50, height: 45 }));
  const links = nodes
    .slice(1)
    .map((_, at) => [at % 6 === 5 ? 0 : at, at + 1] as const)
    .filter(([, b]) => b !== 6);
  const places = placesOf(nodes, links);
  const between = (a: number, b: number) =>
    Math.hypot((places[a]?.x ?? 0) - (places[b]?.x ?? 0), (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  const linked = mean(links.map(([a, b]) => between(a, b)));
  const all = mean(nodes.flatMap((_, a) => nodes.slice(a + 1).map((__, b) => between(a, a + 1 + b))));
  expect(linked).toBeLessThan(all / 2);
});
