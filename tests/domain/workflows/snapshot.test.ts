import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { sealSnapshot, snapshotContent } from '../../../domain/workflows/snapshot.ts';
import type { Draft } from '../../../domain/workflows/workflow.ts';
import { aReadyDraft, edge, node } from '../../builders/workflows.ts';

const seal = (draft: Draft) => sealSnapshot(draft, canonicalJson, sha256Hex);
const sealed = (changes: Partial<Draft> = {}) => seal(aReadyDraft(changes)).hash;

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const drafts: fc.Arbitrary<Draft> = fc.record({
  name: text,
  description: text,
  tags: fc.array(text, { maxLength: 3 }),
  visibility: fc.constantFrom('private', 'public'),
  nodes: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/),
      node_id: text,
      config: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  ),
  edges: fc.uniqueArray(fc.record({ from: text, to: text }), {
    selector: ({ from, to }) => `${from}>${to}`,
    maxLength: 8,
  }),
});

/** The same value with the members of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, turned(member)]),
  );
}

/** The same value as another writer would put it down: characters escaped, numbers with a fraction or an exponent. */
function respelled(value: unknown): unknown {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;
  return JSON.parse(
    JSON.stringify(value).replace(tokens, (token) => {
      if (token.startsWith('"')) return token.replace(/[^\x20-\x7e]/g, escaped);
      return /[.e]/.test(token) ? token.replace('e', 'E') : `${token}.00e0`;
    }),
  );
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

describe('the hash of a snapshot', () => {
  test('is the SHA-256 of its content', () => {
    const { hash, content } = seal(aReadyDraft());
    expect(hash).toBe(createHash('sha256').update(content, 'utf8').digest('hex'));
  });

  // Worked out by hand from settled.md section 11, so that nobody has to trust this code.
  test('is that of these very bytes', () => {
    const draft = aReadyDraft({
      name: 'Ω',
      description: 'd',
      tags: ['b', 'a'],
      visibility: 'public',
      nodes: [node('say', 'decision.submit', { tags: ['x'], rehearse: true }), node('idea', 'input.idea')],
      edges: [edge('idea.thesis', 'say.thesis'), edge('idea.instrument', 'say.instrument')],
    });
    const content =
      '{"description":"d","edges":[{"from":"idea.instrument","to":"say.instrument"},{"from":"idea.thesis","to":"say.thesis"}],' +
      '"kind":"stancebook.workflow","name":"Ω","nodes":[{"config":{},"id":"idea","node_id":"input.idea"},' +
      '{"config":{"rehearse":true,"tags":["x"]},"id":"say","node_id":"decision.submit"}],"schema_version":"v1","tags":["b","a"]}';
    expect(seal(draft)).toEqual({ hash: createHash('sha256').update(content, 'utf8').digest('hex'), content });
  });

  const sameHowever = (sealing: (draft: Draft) => unknown) =>
    fc.property(drafts, (draft) => {
      const { nodes, edges, ...words } = draft;
      const rewritten = turned({ ...words, nodes: nodes.toReversed(), edges: edges.toReversed() });
      expect(sealing(respelled(rewritten) as Draft)).toEqual(sealing(draft));
    });

  test('is the same for the same content, however it was written', () => {
    fc.assert(sameHowever(seal));
  });

  test.each<[string, (draft: Draft) => unknown]>([
    ['members', (draft) => JSON.stringify(snapshotContent(draft))],
    ['nodes', ({ nodes }) => canonicalJson(nodes)],
    ['edges', ({ edges }) => canonicalJson(edges)],
  ])('would not be without an order of the %s: that check can fail', (_, sealing) => {
    expect(fc.check(sameHowever(sealing)).failed).toBe(true);
  });

  test('does not depend on who may see it, nor on the other members of a draft', () => {
    const plain = sealed();
    expect(sealed({ visibility: 'public' })).toBe(plain);
    expect(seal({ ...aReadyDraft(), id: 'x', version: 7 } as Draft).hash).toBe(plain);
    const nodes = aReadyDraft().nodes.map((each) => ({ ...each, position: { x: 1 } }));
    expect(sealed({ nodes })).toBe(plain);
  });

  const ready = aReadyDraft();
  const [first = edge('', ''), ...others] = ready.edges;
  test.each<[string, Partial<Draft>]>([
    ['the name', { name: `${ready.name} ` }],
    ['the case of the name', { name: ready.name.toUpperCase() }],
    ['the description', { description: '' }],
    ['the tags', { tags: [] }],
    ['the order of the tags', { tags: ready.tags.toReversed() }],
    ['a node more', { nodes: [...ready.nodes, node('more', 'data.bars')] }],
    ['a node_id', { nodes: ready.nodes.map((each) => ({ ...each, node_id: 'data.bars' })) }],
    ['a config', { nodes: ready.nodes.map((each) => ({ ...each, config: { bars: 201 } })) }],
    ['a default that is written out', { nodes: ready.nodes.map((each) => ({ ...each, config: { interval: '1d' } })) }],
    ['an edge less', { edges: others }],
    ['an edge turned round', { edges: [edge(first.to, first.from), ...others] }],
    ['an edge twice', { edges: [first, ...ready.edges] }],
  ])('is another one for another content: %s', (_, changes) => {
    expect(sealed(changes)).not.toBe(sealed());
  });

  test('takes text as it is, so that a letter and its parts are two spellings', () => {
    expect(sealed({ name: 'caf\u00e9' })).not.toBe(sealed({ name: 'cafe\u0301' }));
  });

  test('orders by UTF-16 code units, as RFC 8785 orders members, and not by the reader`s language', () => {
    const nodes = ['b', 'B', 'a_', 'a-', '\ufb01', '\u{1f600}'].map((id) => node(id, 'x', { [id]: 1, z: 1 }));
    const content = JSON.parse(seal(aReadyDraft({ nodes, edges: [] })).content);
    expect(content.nodes.map(({ id }: { id: string }) => id)).toEqual(['B', 'a-', 'a_', 'b', '\u{1f600}', '\ufb01']);
  });
});
