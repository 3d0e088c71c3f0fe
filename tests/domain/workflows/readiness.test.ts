import { describe, expect, test } from '@jest/globals';
import { MOST_DETAILS } from '../../../domain/problem.ts';
import type { ConfigFaults } from '../../../domain/workflows/node-template.ts';
import { readiness } from '../../../domain/workflows/readiness.ts';
import { READINESS_CODES } from '../../../domain/workflows/wiring.ts';
import type { Draft } from '../../../domain/workflows/workflow.ts';
import { aReadyDraft, edge, node } from '../../builders/workflows.ts';

/** A config with a member `bad` is invalid, so that no schema is needed here. */
const configFaults: ConfigFaults = (_, config) => ('bad' in config ? [{ path: 'bad', message: 'is not known' }] : []);

const ready = aReadyDraft();
const failuresOf = (changes: Partial<Draft>) => readiness(aReadyDraft(changes), configFaults).failures;
const failuresAt = (changes: Partial<Draft>) => failuresOf(changes).map(({ code, node: at, port }) => [code, at, port]);

const nodes = (...added: Draft['nodes']) => ({ nodes: [...ready.nodes, ...added] });
const edges = (...added: Draft['edges']) => ({ edges: [...ready.edges, ...added] });
const without = (id: string) => ({
  nodes: ready.nodes.filter((each) => each.id !== id),
  edges: ready.edges.filter(({ from, to }) => !from.startsWith(`${id}.`) && !to.startsWith(`${id}.`)),
});
const replaced = (id: string, by: Partial<Draft['nodes'][number]>) => ({
  nodes: ready.nodes.map((each) => (each.id === id ? { ...each, ...by } : each)),
});
const moved = (to: string, from: string) => ({
  edges: ready.edges.map((each) => (each.to === to ? { ...each, from } : each)),
});
const cut = (to: string) => ({ edges: ready.edges.filter((each) => each.to !== to) });

test('a sound draft is ready, in any order of its nodes and edges', () => {
  expect(readiness(ready, configFaults)).toEqual({ ready: true, failures: [] });
  const turned = { nodes: ready.nodes.toReversed(), edges: ready.edges.toReversed() };
  expect(readiness(aReadyDraft(turned), configFaults)).toEqual({ ready: true, failures: [] });
});

test('two nodes are enough: an idea that is submitted unchanged', () => {
  const smallest = {
    nodes: [node('idea', 'input.idea'), node('say', 'decision.submit')],
    edges: [edge('idea.instrument', 'say.instrument'), edge('idea.thesis', 'say.thesis')],
  };
  expect(failuresAt(smallest)).toEqual([]);
});

/** Each fault alone, with all of its failures: no fault hides another, and none is reported as another. */
const FAULTS: readonly (readonly [string, Partial<Draft>, readonly (readonly (string | null)[])[]])[] = [
  ['no name', { name: ' ' }, [['NAME_MISSING', null, null]]],
  ['no description', { description: '' }, [['DESCRIPTION_MISSING', null, null]]],
  [
    'nothing at all',
    { nodes: [], edges: [] },
    [
      ['TOO_FEW_NODES', null, null],
      ['SUBMIT_MISSING', null, null],
    ],
  ],
  ['a name with a character that does not show', { name: 'a\u200bb' }, [['TEXT_HIDDEN', null, null]]],
  [
    'a config with such characters in a name and a value',
    replaced('chart', { config: { methods: ['a\u{e0041}'], 'b\u00ad': 1 } }),
    [
      ['TEXT_HIDDEN', 'chart', null],
      ['TEXT_HIDDEN', 'chart', null],
    ],
  ],
  ['an id twice', nodes(node('chart', 'analysis.technical')), [['NODE_REPEATED', 'chart', null]]],
  ['an unknown node_id', replaced('chart', { node_id: 'analysis.tarot' }), [['NODE_UNKNOWN', 'chart', null]]],
  ['a node_id that every object has', replaced('chart', { node_id: 'constructor' }), [['NODE_UNKNOWN', 'chart', null]]],
  ['a config that is not valid', replaced('chart', { config: { bad: 1 } }), [['CONFIG_INVALID', 'chart', null]]],
  ['an edge twice', edges(edge('prices.bars', 'chart.bars')), [['EDGE_REPEATED', 'chart', 'bars']]],
  [
    'an edge between unknown nodes',
    edges(edge('ghost.bars', 'spirit.bars')),
    [
      ['EDGE_NODE_UNKNOWN', 'ghost', 'bars'],
      ['EDGE_NODE_UNKNOWN', 'spirit', 'bars'],
    ],
  ],
  [
    'an edge between unknown ports',
    edges(edge('prices.candles', 'claim.chart')),
    [
      ['EDGE_PORT_UNKNOWN', 'prices', 'candles'],
      ['EDGE_PORT_UNKNOWN', 'claim', 'chart'],
    ],
  ],
  ['an end that names no port', edges(edge('prices', 'claim.features')), [['EDGE_PORT_UNKNOWN', 'prices', '']]],
  ['an edge between types', edges(edge('prices.bars', 'claim.features')), [['TYPES_DIFFER', 'claim', 'features']]],
  ['an open input', cut('say.instrument'), [['INPUT_UNCONNECTED', 'say', 'instrument']]],
  ['an optional input that is open', cut('claim.cohort'), []],
  [
    'a single input twice',
    {
      nodes: [...ready.nodes, node('other', 'data.bars')],
      edges: [...ready.edges, edge('what.instrument', 'other.instrument'), edge('other.bars', 'chart.bars')],
    },
    [['INPUT_CONNECTED_TWICE', 'chart', 'bars']],
  ],
  [
    'a multiple input twice',
    {
      nodes: [...ready.nodes, node('other', 'analysis.technical')],
      edges: [...ready.edges, edge('prices.bars', 'other.bars'), edge('other.features', 'claim.features')],
    },
    [],
  ],
  ['no submit', without('say'), [['SUBMIT_MISSING', null, null]]],
  [
    'two submits',
    {
      nodes: [...ready.nodes, node('again', 'decision.submit')],
      edges: [...ready.edges, edge('what.instrument', 'again.instrument'), edge('claim.thesis', 'again.thesis')],
    },
    [['SUBMIT_REPEATED', 'again', null]],
  ],
  [
    'a step that leads nowhere',
    {
      nodes: [...ready.nodes, node('idle', 'data.news')],
      edges: [...ready.edges, edge('what.instrument', 'idle.instrument')],
    },
    [['NODE_UNUSED', 'idle', null]],
  ],
  ['an input that leads nowhere', nodes(node('idle', 'input.instrument')), [['NODE_UNUSED', 'idle', null]]],
  [
    'a cycle next to the path',
    {
      nodes: [...ready.nodes, node('doubt', 'analysis.challenge'), node('gate', 'logic.gate')],
      edges: [...ready.edges, edge('doubt.thesis', 'gate.thesis'), edge('gate.thesis', 'doubt.thesis')],
    },
    [
      ['CYCLE', 'doubt', null],
      ['NODE_UNUSED', 'doubt', null],
      ['NODE_UNUSED', 'gate', null],
    ],
  ],
  [
    'a way that only a cycle feeds',
    {
      nodes: [node('doubt', 'analysis.challenge'), node('say', 'decision.submit'), node('what', 'input.instrument')],
      edges: [edge('doubt.thesis', 'doubt.thesis'), edge('doubt.thesis', 'say.thesis')],
    },
    [
      ['INPUT_UNCONNECTED', 'say', 'instrument'],
      ['CYCLE', 'doubt', null],
      ['SUBMIT_UNREACHABLE', 'say', null],
      ['NODE_UNUSED', 'what', null],
    ],
  ],
  [
    'edges out of the last step',
    edges(edge('say.record', 'claim.features')),
    [
      ['EDGE_PORT_UNKNOWN', 'say', 'record'],
      ['CYCLE', 'claim', null],
    ],
  ],
];

describe('a fault is reported by what would fix it, and no other with it', () => {
  test.each(FAULTS)('%s', (_, changes, expected) => {
    expect(failuresAt(changes)).toEqual(expected);
  });

  test('of every kind there is', () => {
    const codes = FAULTS.flatMap(([, , expected]) => expected.map(([code]) => code));
    expect(READINESS_CODES.filter((code) => !codes.includes(code))).toEqual([]);
  });

  test.each([
    [1, 'remove an edge from n0 to itself.'],
    [2, 'remove an edge between n0, n1.'],
    [12, 'remove an edge between n0, n1, n10, n11, n2, n3, n4, n5, n6, n7 and 2 more.'],
  ])('a cycle of %i by the nodes on it', (length, words) => {
    const ring = Array.from({ length }, (_, index) => `n${index}`);
    const failures = failuresOf({
      nodes: [...ready.nodes, ...ring.map((id) => node(id, 'analysis.challenge'))],
      edges: [...ready.edges, ...ring.map((id, index) => edge(`${id}.thesis`, `n${(index + 1) % length}.thesis`))],
    });
    expect(failures.find(({ code }) => code === 'CYCLE')?.message).toContain(words);
  });

  test('in words that name the places', () => {
    expect(failuresOf(moved('chart.bars', 'prices.candles'))).toEqual([
      { code: 'EDGE_PORT_UNKNOWN', node: 'prices', port: 'candles', message: expect.stringContaining('it has bars') },
    ]);
    expect(failuresOf(edges(edge('prices.bars', 'claim.features')))[0]?.message).toBe(
      'prices.bars gives bars and claim.features takes features; connect ports of one type.',
    );
  });
});

test('all faults are reported at once', () => {
  const everything = failuresAt({
    name: '',
    description: '',
    nodes: [node('a', 'input.idea', { bad: 1 }), node('a', 'no.such'), node('b', 'data.bars')],
    edges: [edge('a.news', 'b.instrument'), edge('a.news', 'b.instrument'), edge('z.bars', 'b.bars')],
  }).map(([code]) => code);
  expect(everything).toEqual([
    'NAME_MISSING',
    'DESCRIPTION_MISSING',
    'CONFIG_INVALID',
    'NODE_REPEATED',
    'NODE_UNKNOWN',
    'EDGE_REPEATED',
    'EDGE_PORT_UNKNOWN',
    'EDGE_NODE_UNKNOWN',
    'EDGE_PORT_UNKNOWN',
    'SUBMIT_MISSING',
  ]);
});

test('the most tangled draft is judged, and no more failures are returned than a refusal can carry', () => {
  const ids = Array.from({ length: 100 }, (_, index) => `n${index}`);
  const tangle = ids.flatMap((id, index) =>
    [1, 2, 3].map((step) => edge(`${id}.thesis`, `n${(index + step) % 100}.thesis`)),
  );
  const draft = { nodes: ids.map((id) => node(id, 'analysis.challenge', { bad: 1 })), edges: tangle };
  const { ready: isReady, failures } = readiness(aReadyDraft(draft), configFaults);
  expect([isReady, failures.length]).toEqual([false, MOST_DETAILS]);
});
