import { expect, test } from '@jest/globals';
import { isSameJson } from '../../../../../adapters/http/page/browser/workflows/same-json.ts';
import {
  differenceOf,
  isEmpty,
} from '../../../../../adapters/http/page/browser/workflows/versions/snapshot-difference.ts';
import { snapshotContent } from '../../../../../domain/workflows/snapshot.ts';
import { aReadyDraft, edge, node } from '../../../../builders/workflows.ts';

const draft = aReadyDraft();

test('a draft and its snapshot do not differ, in whatever order they are', () => {
  expect(isEmpty(differenceOf(draft, snapshotContent(draft)))).toBe(true);
  const turned = { ...draft, nodes: draft.nodes.toReversed(), edges: draft.edges.toReversed() };
  expect(isEmpty(differenceOf(draft, turned))).toBe(true);
});

test('steps, connections, configs and texts that differ are listed, and nothing else', () => {
  const after = aReadyDraft({
    name: 'Trend',
    tags: ['daily', 'swing'],
    visibility: 'public',
    nodes: [
      node('what', 'input.idea'),
      ...draft.nodes.slice(1, 3),
      node('past', 'evidence.cohort', { queries: 3, breadth: 'market' }),
      node('doubt', 'analysis.challenge'),
      ...draft.nodes.slice(4),
    ].filter(({ id }) => id !== 'chart'),
    edges: [...draft.edges.slice(0, 3), edge('claim.thesis', 'doubt.thesis'), ...draft.edges.slice(5)],
  });
  expect(differenceOf(draft, after)).toEqual({
    texts: [
      { member: 'name', before: 'Trend with evidence', after: 'Trend' },
      { member: 'tags', before: ['swing', 'daily'], after: ['daily', 'swing'] },
      { member: 'visibility', before: 'private', after: 'public' },
    ],
    added: [node('doubt', 'analysis.challenge')],
    removed: [node('chart', 'analysis.technical')],
    changed: [
      { id: 'what', changes: [{ member: 'node_id', before: 'input.instrument', after: 'input.idea' }] },
      {
        id: 'past',
        changes: [
          { member: 'queries', before: 2, after: 3 },
          { member: 'breadth', before: undefined, after: 'market' },
        ],
      },
    ],
    connected: [edge('claim.thesis', 'doubt.thesis')],
    disconnected: [edge('prices.bars', 'chart.bars'), edge('chart.features', 'claim.features')],
  });
});

test('a snapshot has no visibility that could differ', () => {
  const { visibility, ...content } = draft;
  expect([visibility, differenceOf(content, { ...draft, visibility: 'public' }).texts]).toEqual(['private', []]);
});

test('a repeated connection or step is a difference', () => {
  const [first = edge('', ''), ...others] = draft.edges;
  const twice = { ...draft, edges: [first, first, ...others], nodes: [...draft.nodes, node('say', 'decision.submit')] };
  const { connected, disconnected, added, removed } = differenceOf(draft, twice);
  expect([connected, disconnected, added, removed]).toEqual([[first], [], [node('say', 'decision.submit')], []]);
});

test.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [[1, 2], [2, 1], false],
  [{ 0: 'a' }, ['a'], false],
  [null, {}, false],
  [0, false, false],
  ['1', 1, false],
])('%j and %j are the same content: %s', (a, b, same) => {
  expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([same, same]);
});
