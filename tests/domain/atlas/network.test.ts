import { expect, test } from '@jest/globals';
import type { MonthTally, Tallies } from '../../../domain/atlas/atlas-survey.ts';
import { bandOf, choose, networkOf } from '../../../domain/atlas/network.ts';
import { ATLAS } from '../../../domain/limits.ts';

const MONTH = new Date('2026-01-01');
const CONTRACT = { minProducers: 5, minSamples: 10 };

const instrument = (symbol: string, samples: number) =>
  ({ market: 'stock', symbol, venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD', samples }) as const;
const key = (symbol: string) => `stock:${symbol}:NYSE:spot:USD`;
const month = (symbol: string, samples: number): MonthTally => ({ instrument: key(symbol), month: MONTH, samples });
const tallies = (changes: Partial<Tallies>): Tallies => {
  return { instruments: [], perspectives: [], perspectivesOf: [], workflows: [], workflowsOf: [], ...changes };
};
const many = (count: number, name: (n: number) => string) => Array.from({ length: count }, (_, n) => name(n));

test.each([
  [5, '5-9'],
  [9, '5-9'],
  [10, '10-49'],
  [49, '10-49'],
  [50, '50-199'],
  [199, '50-199'],
  [200, '200+'],
  [1e9, '200+'],
])('%i is shown as %s', (count, band) => {
  expect(bandOf(count)).toBe(band);
});

test('a count below the lowest band has no band', () => {
  expect(() => bandOf(4)).toThrow(RangeError);
});

test('no more than 300 nodes: all perspectives, some workflows, the largest instruments, and links of those alone', () => {
  const symbols = many(400, (n) => `S${n}`);
  const hashes = many(100, (n) => `hash ${n}`);
  const chosen = choose(
    tallies({
      instruments: symbols.map((symbol, n) => instrument(symbol, 10 + n)),
      perspectives: [
        { market: 'stock', perspective_type: 'technical', samples: 10 },
        { market: 'crypto', perspective_type: 'technical', samples: 40 },
      ],
      perspectivesOf: symbols.map((symbol) => ({
        instrument: key(symbol),
        perspective_type: 'technical',
        samples: 10,
      })),
      workflows: hashes.map((hash, n) => ({ hash, name: 'A workflow', samples: 10 + n })),
      workflowsOf: hashes.map((hash) => ({ instrument: key('S399'), hash, samples: 10 })),
    }),
  );
  const { nodes, edges } = networkOf(chosen, [], CONTRACT);
  expect(nodes).toHaveLength(ATLAS.nodes);
  expect(nodes).toContainEqual({
    id: 'perspective:technical',
    kind: 'perspective',
    label: 'technical',
    count_band: '50-199',
  });
  const ids = new Set(nodes.map(({ id }) => id));
  expect(nodes.filter(({ kind }) => kind === 'workflow')).toHaveLength(ATLAS.workflowNodes);
  expect([ids.has('workflow:hash 99'), ids.has('workflow:hash 39')]).toEqual([true, false]);
  const largest = ATLAS.nodes - ATLAS.workflowNodes - 1;
  expect([
    ids.has(`instrument:${key(`S${400 - largest}`)}`),
    ids.has(`instrument:${key(`S${399 - largest}`)}`),
  ]).toEqual([true, false]);
  expect(edges.length).toBe(largest + ATLAS.linksPerInstrument);
  const linked = edges.filter(({ kind }) => kind === 'uses_workflow').map(({ to }) => to);
  expect(linked).toEqual([40, 41, 42, 43, 44].map((n) => `workflow:hash ${n}`));
  expect(edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
});

test('nodes and links are in the order of their ids, which reveals nothing about their counts', () => {
  const chosen = tallies({ instruments: [instrument('B', 300), instrument('A', 10), instrument('C', 50)] });
  const { nodes, edges } = networkOf(
    chosen,
    ['C', 'A', 'B'].map((symbol) => month(symbol, 10)),
    { minProducers: 1, minSamples: 1 },
  );
  expect(nodes.map(({ label }) => label)).toEqual(['A NYSE', 'B NYSE', 'C NYSE']);
  expect(edges.map(({ from, to }) => [from.split(':')[2], to.split(':')[2]])).toEqual([
    ['A', 'B'],
    ['A', 'C'],
    ['B', 'C'],
  ]);
});

test('a month links only where a cohort query bounded to it would be answered', () => {
  const link = (samples: number, rest: number) => {
    const chosen = tallies({ instruments: [instrument('A', samples + rest), instrument('B', 10)] });
    return networkOf(chosen, [month('A', samples), month('B', 10)], CONTRACT).edges.map(
      ({ weight_band }) => weight_band,
    );
  };
  expect([link(10, 0), link(10, 9), link(10, 10), link(45, 10)]).toEqual([['10-49'], [], ['10-49'], ['50-199']]);
});

test('a month of an instrument that is no node makes no link', () => {
  const chosen = tallies({ instruments: [instrument('A', 10)] });
  expect(networkOf(chosen, [month('A', 10), month('B', 10)], { minProducers: 1, minSamples: 1 }).edges).toEqual([]);
});

test('each instrument has its strongest links, and those that are among the strongest of the other end', () => {
  const symbols = many(20, (n) => `S${String.fromCharCode(65 + n)}`);
  const chosen = tallies({ instruments: symbols.map((symbol, n) => instrument(symbol, 10 * (n + 1))) });
  const months = symbols.map((symbol, n) => month(symbol, 10 * (n + 1)));
  const { edges } = networkOf(chosen, months, { minProducers: 1, minSamples: 1 });
  const linksOf = (symbol: string) =>
    edges.filter(({ from, to }) => [from, to].includes(`instrument:${key(symbol)}`)).length;
  // The six largest are the strongest for every other instrument: they are linked to all.
  expect(symbols.map(linksOf)).toEqual([...Array(14).fill(5), 5, ...Array(5).fill(19)]);
});
