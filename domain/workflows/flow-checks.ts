import { nodeTemplate } from './node-catalogue.ts';
import { SUBMIT_NODE } from './node-template.ts';
import type { ReadinessFailure } from './readiness-failure.ts';
import { cycles, reached, type Wiring, wiringOf } from './wiring.ts';
import type { Draft, WorkflowNode } from './workflow.ts';

/** The number of names in one message. */
const SHOWN = 10;

/** Whether every step leads from an input to the one decision at the end. */
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
  const [first = null, ...others] = names;
  const way = others.length === 0 ? `from ${first} to itself` : `between ${shortened(names)}`;
  return { code: 'CYCLE', node: first, port: null, message: `No step can come before itself; remove an edge ${way}.` };
}

function shortened(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  return rest > 0 ? `${names.slice(0, SHOWN).join(', ')} and ${rest} more` : names.join(', ');
}

function submitFailures([first, ...others]: readonly WorkflowNode[]): ReadinessFailure[] {
  if (!first) {
    const message = `Add one node ${SUBMIT_NODE}: every workflow ends in one.`;
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
      failure('SUBMIT_UNREACHABLE', id, 'Connect it to an input node, through other steps if need be.'),
    ),
    ...unused.map((id) =>
      failure('NODE_UNUSED', id, `Its output does not reach ${SUBMIT_NODE}; connect it or remove it.`),
    ),
  ];
}

function namesOf(nodes: readonly WorkflowNode[]): string[] {
  return nodes.map(({ id }) => id);
}

function failure(code: ReadinessFailure['code'], node: string, message: string): ReadinessFailure {
  return { code, node, port: null, message };
}
