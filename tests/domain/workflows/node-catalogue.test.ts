import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { configFaultsBySchema } from '../../../adapters/formats/config-faults.ts';
import { NODE_TEMPLATES, nodeTemplate } from '../../../domain/workflows/node-catalogue.ts';
import { NODE_GROUPS, type NodeTemplate, PORT_TYPES, SUBMIT_NODE } from '../../../domain/workflows/node-template.ts';
import { readiness } from '../../../domain/workflows/readiness.ts';
import { NODE_NAME } from '../../../domain/workflows/workflow.ts';
import { draftAround } from '../../builders/node-drafts.ts';
import { NODE_VERSIONS } from './node-versions.ts';

const named = NODE_TEMPLATES.map((template) => [template.node_id, template] as const);
const membersOf = ({ config_schema }: NodeTemplate) => Object.keys(config_schema.properties ?? {});

describe('the node templates', () => {
  test('are found by their node_id, which is unique', () => {
    expect(new Set(named.map(([node_id]) => node_id)).size).toBe(NODE_TEMPLATES.length);
    for (const [node_id, template] of named) expect(nodeTemplate(node_id)).toBe(template);
    expect(nodeTemplate('constructor')).toBeUndefined();
  });

  test('are sorted by group, in the order of the groups, and no group is empty', () => {
    expect([...new Set(NODE_TEMPLATES.map(({ group }) => group))]).toEqual(NODE_GROUPS);
  });

  test('use every type of port as output and input', () => {
    const given = new Set(NODE_TEMPLATES.flatMap(({ outputs }) => outputs.map(({ type }) => type)));
    const taken = new Set(NODE_TEMPLATES.flatMap(({ inputs }) => inputs.map(({ type }) => type)));
    expect(PORT_TYPES.filter((type) => !given.has(type) || !taken.has(type))).toEqual([]);
  });

  test('all have outputs, except decision.submit', () => {
    expect(NODE_TEMPLATES.filter(({ outputs }) => outputs.length === 0).map(({ node_id }) => node_id)).toEqual([
      SUBMIT_NODE,
    ]);
  });
});

describe.each(named)('%s', (_, template) => {
  test('is named by its group and a word, its ports by words of their own', () => {
    const { node_id, group, inputs, outputs } = template;
    expect(node_id).toMatch(new RegExp(`^${group}\\.[a-z]+(_[a-z]+)*$`));
    for (const ports of [inputs.map(({ port }) => port), outputs.map(({ port }) => port)]) {
      expect(new Set(ports).size).toBe(ports.length);
      for (const port of ports) expect(port).toMatch(NODE_NAME);
    }
  });

  // So that in a ready draft every step traces back to an input node.
  test('begins a workflow or waits for something', () => {
    const { group, inputs } = template;
    if (group === 'input') expect(inputs).toEqual([]);
    else expect(inputs.filter(({ required }) => required).length).toBeGreaterThan(0);
  });

  test('says what to read, to decide and to pass on, naming each output', () => {
    const [read = '', decide = '', handOn = '', ...more] = template.instructions.split('\n');
    expect(more).toEqual([]);
    expect(read).toMatch(/^Read: .{40,}\.$/);
    expect(decide).toMatch(/^Decide: .{40,}\.$/);
    expect(handOn).toMatch(/^Hand on: .{40,}\.$/);
    for (const { port } of template.outputs) expect(handOn).toContain(`${port}: `);
  });

  test('mentions every setting, and no other', () => {
    const mentioned = [...template.instructions.matchAll(/config\.(\w+)/g)].map(([, name]) => name);
    expect([...new Set(mentioned)].toSorted()).toEqual(membersOf(template).toSorted());
  });

  test('can be in a workflow that is ready', () => {
    const draft = draftAround(template);
    expect(draft.nodes.some(({ node_id }) => node_id === template.node_id)).toBe(true);
    expect(readiness(draft, configFaultsBySchema()).failures).toEqual([]);
  });

  // Snapshots name a template by node_id alone, and the version shows readers that their copy is out of date.
  test('is what its version stands for: a change raises the version and adds a line to node-versions.ts', () => {
    const digest = createHash('sha256')
      .update(canonicalize(template) ?? '')
      .digest('hex')
      .slice(0, 16);
    const versions = NODE_VERSIONS[template.node_id] ?? [];
    expect(versions).toHaveLength(template.version);
    expect(versions.at(-1)).toBe(digest);
  });
});
