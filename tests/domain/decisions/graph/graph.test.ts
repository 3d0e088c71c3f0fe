import { describe, expect, test } from '@jest/globals';
import { beginWalk, cappedBounds, GRAPH_CAPS } from '../../../../domain/decisions/graph/graph.ts';

describe('the caps of a graph', () => {
  test.each([
    ['agent', { depth: 4, limit: 101 }, { depth: 3, limit: 100 }],
    ['agent', { depth: 3, limit: 100 }, { depth: 3, limit: 100 }],
    ['public', { depth: 3, limit: 51 }, { depth: 2, limit: 50 }],
    ['public', { depth: 0, limit: Number.MAX_SAFE_INTEGER }, { depth: 0, limit: 50 }],
  ] as const)('%s: %j means %j', (audience, bounds, capped) => {
    expect(cappedBounds(bounds, GRAPH_CAPS[audience])).toEqual(capped);
  });

  test.each([
    [{ depth: 0, limit: 50 }, []],
    [{ depth: 1, limit: 0 }, ['root']],
  ])('%j is the root alone', (bounds, frontier) => {
    expect(beginWalk('root', bounds)).toMatchObject({ nodes: ['root'], frontier, limit: Math.max(bounds.limit, 1) });
  });
});
