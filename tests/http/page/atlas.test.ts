import { expect, test } from '@jest/globals';
import {
  atlasAddress,
  choiceOf,
  matching,
  neighboursOf,
  networkWords,
  type WireNetwork,
  type WireNode,
} from '../../../adapters/http/page/browser/home/atlas-data.ts';

const nodes: readonly WireNode[] = [
  { id: 'i', kind: 'instrument', label: 'MSFT NASDAQ', count_band: '10-49' },
  { id: 'j', kind: 'instrument', label: 'AAPL NASDAQ', count_band: '5-9' },
  { id: 'p', kind: 'perspective', label: 'technical', count_band: '200+' },
];
const network: WireNetwork = {
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

test('a network is described in words', () => {
  expect(networkWords(network)).toBe('2\u00a0instruments, 1\u00a0perspective, 2\u00a0links.');
});

test.each([
  [null, true, '#/atlas?include_retroactive=true'],
  ['instrument:stock:BRK?B:NYSE', false, '#/atlas/instrument%3Astock%3ABRK%3FB%3ANYSE?include_retroactive=false'],
])(
  'the address of %j with include_retroactive %j is %s, and the choice can be read from it',
  (id, looksBack, address) => {
    expect(atlasAddress(id, looksBack)).toBe(address);
    expect(choiceOf(address)).toBe(looksBack);
  },
);

test('an address without a choice has none', () => {
  expect([choiceOf(''), choiceOf('#/atlas'), choiceOf('#/records/dec_20260130_5c0ffee5')]).toEqual([null, null, null]);
});
