import { describe, expect, test } from '@jest/globals';
import {
  begun,
  edited,
  nameFault,
  redone,
  undone,
  withConfig,
  withEdge,
  withName,
  withoutEdge,
  withoutStep,
  withStep,
} from '../../../../../adapters/http/page/browser/workflows/editor/draft-edits.ts';
import {
  edgeBetween,
  offeredFor,
  portsOf,
} from '../../../../../adapters/http/page/browser/workflows/graph/step-ports.ts';
import { NODE_TEMPLATES } from '../../../../../domain/workflows/node-catalogue.ts';
import { aReadyDraft, edge, node } from '../../../../builders/workflows.ts';

const library = new Map(NODE_TEMPLATES.map((template) => [template.node_id, template]));
const draft = aReadyDraft();
const at = (id: string) => draft.nodes.findIndex((each) => each.id === id);

const ends = (ports: ReturnType<typeof portsOf>) => ports.map(({ step, port }) => `${step}.${port}`);

/** @throws Error when the step has no such port */
function portOf(step: string, side: 'input' | 'output', port: string, of = draft) {
  const found = portsOf(
    of,
    library,
    of.nodes.findIndex(({ id }) => id === step),
  ).find((each) => each.side === side && each.port === port);
  if (!found) throw new Error(`${step} has no ${side} ${port}.`);
  return found;
}

describe('a step', () => {
  test('that is added has a name of its own', () => {
    const once = withStep(draft, { node_id: 'data.bars' });
    const twice = withStep(once.draft, { node_id: 'data.bars' });
    expect([once.draft.nodes.at(-1)?.id, twice.draft.nodes.at(-1)?.id, twice.at]).toEqual(['bars', 'bars-2', 7]);
  });

  test('that is removed takes its connections with it, and no others', () => {
    const { nodes, edges } = withoutStep(draft, at('prices'));
    expect(nodes).toHaveLength(5);
    expect(draft.edges.filter((each) => !edges.includes(each))).toEqual([
      edge('what.instrument', 'prices.instrument'),
      edge('prices.bars', 'chart.bars'),
    ]);
  });

  test('that is renamed keeps its connections', () => {
    const { edges } = withName(draft, at('prices'), 'bars');
    expect(edges).toContainEqual(edge('bars.bars', 'chart.bars'));
    expect(JSON.stringify(edges)).not.toContain('prices');
  });

  test('whose id another one has leaves it the connections', () => {
    const twin = { ...draft, nodes: [...draft.nodes, node('prices', 'data.news')] };
    expect(withoutStep(twin, 6).edges).toEqual(draft.edges);
    expect(withName(twin, 6, 'news').edges).toEqual(draft.edges);
    expect(portsOf(twin, library, 6).flatMap(({ edges }) => edges)).toEqual([]);
  });

  test.each([
    ['', /needs a name/],
    ['a.b', /no dot/],
    ['chart', /another step/i],
    ['prices', null],
    ['P R', null],
  ])('named %j: fault %s', (name, fault) => {
    const found = nameFault(draft, at('prices'), name);
    if (fault) expect(found).toMatch(fault);
    else expect(found).toBeNull();
  });

  test('gets a config without a change of the others', () => {
    const { nodes } = withConfig(draft, at('past'), { queries: 9 });
    expect(nodes.filter((each) => !draft.nodes.includes(each))).toEqual([
      node('past', 'evidence.cohort', { queries: 9 }),
    ]);
  });
});

describe('a connection', () => {
  test('is offered between ports of one type, never within a step or a second time', () => {
    expect(ends(offeredFor(draft, library, portOf('what', 'output', 'instrument')))).toEqual([]);
    expect(ends(offeredFor(draft, library, portOf('chart', 'output', 'features')))).toEqual(['say.features']);
    expect(ends(offeredFor(draft, library, portOf('say', 'input', 'features')))).toEqual(['chart.features']);
  });

  test('is not offered where an input that takes one has one', () => {
    expect(ends(offeredFor(draft, library, portOf('chart', 'input', 'bars')))).toEqual([]);
    const free = withoutEdge(
      draft,
      draft.edges.findIndex(({ to }) => to === 'chart.bars'),
    );
    expect(ends(offeredFor(free, library, portOf('chart', 'input', 'bars', free)))).toEqual(['prices.bars']);
  });

  test('leads from the output to the input, whichever was chosen first', () => {
    const [output, input] = [portOf('chart', 'output', 'features'), portOf('say', 'input', 'features')];
    const made = edgeBetween(input, output);
    expect([made, edgeBetween(output, input)]).toEqual([edge('chart.features', 'say.features'), made]);
    expect(withEdge(draft, made.from, made.to).edges.at(-1)).toEqual(made);
  });

  test('with a port that does not exist is shown at its step, and offered nothing', () => {
    const odd = withEdge(draft, 'what.price', 'chart.bars');
    const port = portOf('what', 'output', 'price', odd);
    expect([port.type, port.edges, offeredFor(odd, library, port)]).toEqual([null, [8], []]);
  });

  test('of a step of an unknown kind is shown too', () => {
    const odd = { ...draft, nodes: [node('what', 'moon.phase'), ...draft.nodes.slice(1)] };
    expect(portsOf(odd, library, 0).map(({ port, edges }) => [port, edges])).toEqual([['instrument', [0, 1, 2]]]);
  });
});

test('edits are undone and redone, until another edit', () => {
  const history = edited(edited(begun('a'), 'b'), 'c');
  expect([undone(history).now, undone(undone(history)).now, undone(undone(undone(history))).now]).toEqual([
    'b',
    'a',
    'a',
  ]);
  expect(redone(undone(history))).toEqual(history);
  expect(redone(edited(undone(history), 'd')).now).toBe('d');
});
