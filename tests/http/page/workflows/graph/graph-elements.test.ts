import { expect, test } from '@jest/globals';
import {
  curveOf,
  elementsOf,
  portElementId,
} from '../../../../../adapters/http/page/browser/workflows/graph/graph-elements.ts';
import { SIZES } from '../../../../../adapters/http/page/browser/workflows/graph/graph-layout.ts';
import { NODE_TEMPLATES } from '../../../../../domain/workflows/node-catalogue.ts';
import { aReadyDraft } from '../../../../builders/workflows.ts';

const library = new Map(NODE_TEMPLATES.map((template) => [template.node_id, template]));
const draft = aReadyDraft();

test('every step has its box and its ports on the edges of it, and every connection leads from port to port', () => {
  const { steps, ports, lines } = elementsOf({ draft, library, failures: [] });
  expect(steps.map(({ at, name, faults }) => [at, name, faults])).toEqual(draft.nodes.map(({ id }, at) => [at, id, 0]));
  expect(lines).toHaveLength(draft.edges.length);
  expect(new Set(ports.map(({ port }) => portElementId(port))).size).toBe(ports.length);
  for (const { port, x, y } of ports) {
    const { place } = steps[port.at] ?? {};
    expect(x > (place?.x ?? 0) && x < (place?.x ?? 0) + (place?.width ?? 0)).toBe(true);
    expect(y).toBe((place?.y ?? 0) + (port.side === 'input' ? 0 : SIZES.height));
  }
  for (const { from, to, points } of lines) {
    const [start, end] = [points[0], points.at(-1)];
    expect(ports.filter(({ x, y, port }) => port.at === from && x === start?.x && y === start.y)).toHaveLength(1);
    expect(ports.filter(({ x, y, port }) => port.at === to && x === end?.x && y === end.y)).toHaveLength(1);
  }
});

test('a failure is drawn at its step and at its input', () => {
  const [step] = draft.edges.map(({ to }) => to.split('.'));
  const [node = '', port = ''] = step ?? [];
  const failure = { node, port, code: 'x', message: 'x' };
  const { steps, ports } = elementsOf({ draft, library, failures: [failure] as never });
  expect(steps.filter(({ faults }) => faults > 0).map(({ name }) => name)).toEqual([node]);
  expect(
    ports.filter(({ isFaulty }) => isFaulty).map((each) => [each.port.step, each.port.port, each.port.side]),
  ).toEqual([[node, port, 'input']]);
});

test.each([
  [
    'M0 0L0 10',
    [
      [0, 0],
      [0, 10],
    ],
  ],
  [
    'M0 0Q5 5 10 10',
    [
      [0, 0],
      [5, 5],
      [10, 10],
    ],
  ],
  [
    'M0 0Q5 5 5 10Q5 15 0 20',
    [
      [0, 0],
      [5, 5],
      [5, 15],
      [0, 20],
    ],
  ],
  ['', [[0, 0]]],
])('a line bends towards its points: %s', (curve, points) => {
  expect(curveOf(points.map(([x = 0, y = 0]) => ({ x, y })))).toBe(curve);
});
