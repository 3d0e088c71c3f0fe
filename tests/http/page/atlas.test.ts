import { expect, test } from '@jest/globals';
import {
  type AtlasNode,
  matching,
  type Network,
  neighboursOf,
  networkWords,
} from '../../../adapters/http/page/browser/atlas.ts';

const nodes: readonly AtlasNode[] = [
  { id: 'i', kind: 'instrument', label: 'MSFT NASDAQ', count_band: '10-49' },
  { id: 'j', kind: 'instrument', label: 'AAPL NASDAQ', count_band: '5-9' },
  { id: 'p', kind: 'perspective', label: 'technical', count_band: '200+' },
];
const network: Network = {
  generated_at: '2026-01-30T14:30:00.000Z',
  nodes,
  edges: [
    { from: 'i', to: 'j', kind: 'co_analysis', weight_band: '5-9' },
    { from: 'p', to: 'i', kind: 'perspective_of', weight_band: '200+' },
  ],
};

test.each([
  ['msft', ['i']],
  ['nasdaq a', ['i', 'j']],
  ['  ', ['i', 'j', 'p']],
  ['perspective', ['p']],
  ['.*', []],
])('a search for %j finds %j', (typed, found) => {
  expect(matching(nodes, typed).map(({ id }) => id)).toEqual(found);
});

test('neighbours are found along links of both directions, the strongest first', () => {
  expect(neighboursOf(network, 'i').map(({ node, link }) => `${node.id}: ${link}`)).toEqual([
    'p: seen from this perspective, 200 records or more',
    'j: analysed together, 5 to 9 records',
  ]);
  expect(neighboursOf(network, 'nowhere')).toEqual([]);
});

test('a network is told in words', () => {
  expect(networkWords(network)).toBe('2\u00a0instruments, 1\u00a0perspective, 2\u00a0links.');
});
