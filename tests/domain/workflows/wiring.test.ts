import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cycles, inOrder, wiringOf } from '../../../domain/workflows/wiring.ts';
import type { Draft, WorkflowEdge } from '../../../domain/workflows/workflow.ts';
import { aReadyDraft, edge, node } from '../../builders/workflows.ts';

const order = ({ nodes, edges }: Pick<Draft, 'nodes' | 'edges'>) => inOrder(nodes, edges).map(({ id }) => id);

/** Any graph whose edges lead from an earlier node to a later one. */
const acyclic = fc
  .tuple(
    fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_-]{0,4}$/), { minLength: 1, maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }),
  )
  .map(([ids, pairs]) => ({
    nodes: ids.map((id) => node(id, 'analysis.challenge')),
    edges: pairs.flatMap(([a, b]) => {
      const [from, to] = [a % ids.length, b % ids.length].sort((x, y) => x - y);
      return from === undefined || to === undefined || from === to ? [] : [edge(`${ids[from]}.x`, `${ids[to]}.y`)];
    }),
  }));

const outOfOrder = (names: readonly string[], edges: readonly WorkflowEdge[]) =>
  edges.filter(({ from, to }) => names.indexOf(from.split('.')[0] ?? '') >= names.indexOf(to.split('.')[0] ?? ''));

describe('the order of the steps', () => {
  test('puts each step after all that it reads from', () => {
    expect(order(aReadyDraft())).toEqual(['what', 'past', 'prices', 'chart', 'claim', 'say']);
  });

  const soundAndStable = (ordering: (draft: Pick<Draft, 'nodes' | 'edges'>) => readonly string[]) =>
    fc.property(acyclic, fc.func(fc.integer()), (draft, weight) => {
      const names = ordering(draft);
      expect(outOfOrder(names, draft.edges)).toEqual([]);
      expect(names.toSorted()).toEqual(draft.nodes.map(({ id }) => id).toSorted());
      const shuffled = <T>(list: readonly T[]) => list.toSorted((a, b) => weight(a) - weight(b));
      expect(ordering({ nodes: shuffled(draft.nodes), edges: shuffled(draft.edges) })).toEqual(names);
    });

  test('exists for any workflow, whatever the order in which it was written', () => {
    fc.assert(soundAndStable(order));
  });

  test.each<[string, (draft: Pick<Draft, 'nodes' | 'edges'>) => readonly string[]]>([
    ['one that goes by names alone', ({ nodes }) => nodes.map(({ id }) => id).toSorted()],
    ['one that keeps the order of the draft', ({ nodes }) => nodes.map(({ id }) => id)],
    ['one that loses a node', (draft) => order(draft).slice(1)],
  ])('is not %s: that check can fail', (_, ordering) => {
    expect(fc.check(soundAndStable(ordering)).failed).toBe(true);
  });

  test('does not exist for cycles and for repeated names', () => {
    const loop = [edge('a.x', 'b.y'), edge('b.x', 'a.y')];
    expect(() => inOrder([node('a', 'x'), node('b', 'x')], loop)).toThrow(RangeError);
    expect(() => inOrder([node('a', 'x'), node('a', 'x')], [])).toThrow(RangeError);
  });
});

describe('cycles', () => {
  const tangles = (ends: readonly (readonly [string, string])[]) =>
    cycles(
      wiringOf(
        ['a', 'b', 'c', 'd', 'e'].map((id) => node(id, 'x')),
        ends.map(([from, to]) => edge(`${from}.x`, `${to}.y`)),
      ),
    );

  test.each([
    [
      'none in a diamond',
      [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ],
      [],
    ],
    ['a node by itself', [['a', 'a']], [['a']]],
    [
      'one, without what leads to it and away from it',
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
        ['c', 'd'],
      ],
      [['b', 'c']],
    ],
    [
      'two, each for itself',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'c'],
        ['c', 'd'],
        ['d', 'c'],
      ],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'one, of two that share a node',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['b', 'c'],
        ['c', 'b'],
      ],
      [['a', 'b', 'c']],
    ],
    [
      'none over nodes that are not there',
      [
        ['a', 'z'],
        ['z', 'a'],
      ],
      [],
    ],
  ] as const)('are %s', (_, ends, expected) => {
    expect(tangles(ends)).toEqual(expected);
  });

  test('are in a graph exactly where it has no order', () => {
    fc.assert(
      fc.property(acyclic, fc.option(fc.nat()), (draft, back) => {
        expect(cycles(wiringOf(draft.nodes, draft.edges))).toEqual([]);
        if (back === null || draft.edges.length === 0) return;
        const turned = draft.edges[back % draft.edges.length];
        const edges = [...draft.edges, ...(turned ? [edge(turned.to, turned.from)] : [])];
        expect(cycles(wiringOf(draft.nodes, edges))).toHaveLength(1);
        expect(() => inOrder(draft.nodes, edges)).toThrow(RangeError);
      }),
    );
  });
});
