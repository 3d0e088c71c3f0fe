import { nodeTemplate } from './node-catalogue.ts';
import { SUBMIT_NODE } from './node-template.ts';
import type { ReadinessFailure } from './readiness-failure.ts';
import { cycles, reached, type Wiring, wiringOf } from './wiring.ts';
import type { Draft, WorkflowNode } from './workflow.ts';

/** Whether all that is done leads from an input to the one decision at the end. */
export function flowFailures({ nodes, edges }: Draft): ReadinessFailure[] {
  const wiring = wiringOf(nodes, edges);
  const submits = nodes.filter(({ node_id }) => node_id === SUBMIT_NODE);
  return [
    ...cycles(wiring).map(cycleFailure),
    ...submitFailures(submits),
    ...(submits.length === 0 ? [] : pathFailures(nodes, submits, wiring)),
  ];
}

function cycleFailure(names: readonly string[]): ReadinessFailure {
  const shown = names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ');
  const message = `No step can come before itself; remove an edge between ${shown}.`;
  return { code: 'CYCLE', node: names[0] ?? null, port: null, message };
}

function submitFailures([first, ...others]: readonly WorkflowNode[]): ReadinessFailure[] {
  if (!first) {
    const message = `Add one node ${SUBMIT_NODE}: it is what a workflow ends in.`;
    return [{ code: 'SUBMIT_MISSING', node: null, port: null, message }];
  }
  const message = `A workflow ends in one ${SUBMIT_NODE}; keep ${first.id} and remove this one, or the other way round.`;
  return others.map(({ id }) => ({ code: 'SUBMIT_REPEATED', node: id, port: null, message }));
}

function pathFailures(
  nodes: readonly WorkflowNode[],
  submits: readonly WorkflowNode[],
  { next, previous }: Wiring,
): ReadinessFailure[] {
  const inputs = nodes.filter(({ node_id }) => nodeTemplate(node_id)?.group === 'input');
  const fed = reached(namesOf(inputs), next);
  const used = reached(namesOf(submits), previous);
  const unreachable = submits.filter(({ id }) => !fed.has(id));
  const unused = [...new Set(namesOf(nodes))].filter((name) => !used.has(name));
  return [
    ...unreachable.map(({ id }) =>
      failure('SUBMIT_UNREACHABLE', id, 'Connect it, over steps between, to an input node.'),
    ),
    ...unused.map((id) => failure('NODE_UNUSED', id, `Nothing of it reaches ${SUBMIT_NODE}; connect it or remove it.`)),
  ];
}

function namesOf(nodes: readonly WorkflowNode[]): string[] {
  return nodes.map(({ id }) => id);
}

function failure(code: ReadinessFailure['code'], node: string, message: string): ReadinessFailure {
  return { code, node, port: null, message };
}
