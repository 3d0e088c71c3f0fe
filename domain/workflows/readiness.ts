import { hiddenTexts } from '../hidden-texts.ts';
import { WORKFLOW } from '../limits.ts';
import { MOST_DETAILS } from '../problem.ts';
import { nodeTemplate } from './node-catalogue.ts';
import { type ConfigFaults, type InputPort, type NodeTemplate, type OutputPort, SUBMIT_NODE } from './node-template.ts';
import { cycles, type EdgeEnd, edgeEnd, type ReadinessFailure, reached, type Wiring, wiringOf } from './wiring.ts';
import type { Draft, WorkflowEdge, WorkflowNode } from './workflow.ts';

/** The number of names in one message. */
const SHOWN = 10;

export interface Readiness {
  readonly ready: boolean;
  readonly failures: readonly ReadinessFailure[];
}

/**
 * Whether the draft can be published and, if not, everything that prevents it (settled.md section 11). The draft has a
 * valid shape and size: 100 nodes and 300 edges cost some milliseconds, however they are connected.
 */
export function readiness(draft: Draft, configFaults: ConfigFaults): Readiness {
  const failures = [
    ...wholeFailures(draft),
    ...nodeFailures(draft.nodes, configFaults),
    ...edgeFailures(draft),
    ...flowFailures(draft),
  ];
  return { ready: failures.length === 0, failures: failures.slice(0, MOST_DETAILS) };
}

/** What the draft as a whole lacks. */
function wholeFailures({ name, description, tags, nodes }: Draft): ReadinessFailure[] {
  const failures: ReadinessFailure[] = [];
  const fails = (code: ReadinessFailure['code'], message: string) =>
    failures.push({ code, node: null, port: null, message });
  if (name.trim() === '') fails('NAME_MISSING', 'Give the workflow a name.');
  if (description.trim() === '') fails('DESCRIPTION_MISSING', 'Describe what the workflow is for and when to use it.');
  for (const { path, message } of hiddenTexts({ name, description, tags })) fails('TEXT_HIDDEN', `${path} ${message}.`);
  if (nodes.length < WORKFLOW.readyNodes) {
    fails('TOO_FEW_NODES', `A workflow needs at least ${WORKFLOW.readyNodes} nodes; this one has ${nodes.length}.`);
  }
  return failures;
}

/** The faults of single nodes: their names, templates and configs. */
function nodeFailures(nodes: readonly WorkflowNode[], configFaults: ConfigFaults): ReadinessFailure[] {
  const named = new Set<string>();
  return nodes.flatMap((node) => {
    const failures = templateFailures(node, configFaults);
    if (!named.has(node.id)) {
      named.add(node.id);
      return failures;
    }
    const message = 'Another node has this id; give each an id of its own.';
    return [{ code: 'NODE_REPEATED', node: node.id, port: null, message }, ...failures];
  });
}

function templateFailures({ id, node_id, config }: WorkflowNode, configFaults: ConfigFaults): ReadinessFailure[] {
  const template = nodeTemplate(node_id);
  if (!template) {
    const message = `There is no node ${node_id}; GET /api/v1/nodes lists the existing ones.`;
    return [{ code: 'NODE_UNKNOWN', node: id, port: null, message }];
  }
  const hidden = hiddenTexts({ config }).map(({ path, message }) => ({
    code: 'TEXT_HIDDEN' as const,
    node: id,
    port: null,
    message: `${path} ${message}.`,
  }));
  const faults = configFaults(template, config).map(({ path, message }) => ({
    code: 'CONFIG_INVALID' as const,
    node: id,
    port: null,
    message: `config${path === '' ? '' : `.${path}`} ${message}; see config_schema of ${node_id}.`,
  }));
  return [...hidden, ...faults];
}

/** Whether every step leads from an input to the one decision at the end. */
function flowFailures({ nodes, edges }: Draft): ReadinessFailure[] {
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

type NodesByName = ReadonlyMap<string, WorkflowNode>;

/** The faults of the edges, and of the inputs that they connect or leave open. */
function edgeFailures({ nodes, edges }: Draft): ReadinessFailure[] {
  const byName = firstOfEachName(nodes);
  const singles = [...new Map(edges.map((edge) => [keyOf(edge), edge])).values()];
  return [
    ...repetitions(edges),
    ...singles.flatMap((edge) => endFailures(edge, byName)),
    ...connectionFailures(byName, singles),
  ];
}

function firstOfEachName(nodes: readonly WorkflowNode[]): NodesByName {
  const byName = new Map<string, WorkflowNode>();
  for (const node of nodes) if (!byName.has(node.id)) byName.set(node.id, node);
  return byName;
}

function repetitions(edges: readonly WorkflowEdge[]): ReadinessFailure[] {
  const seen = new Set<string>();
  return edges.flatMap((edge) => {
    const { from, to } = edge;
    if (!seen.has(keyOf(edge))) {
      seen.add(keyOf(edge));
      return [];
    }
    const message = `The edge from ${from} to ${to} is listed more than once; keep one.`;
    return [{ code: 'EDGE_REPEATED', ...edgeEnd(to), message }];
  });
}

function keyOf({ from, to }: WorkflowEdge): string {
  return JSON.stringify([from, to]);
}

function endFailures({ from, to }: WorkflowEdge, byName: NodesByName): ReadinessFailure[] {
  const [source, target] = [edgeEnd(from), edgeEnd(to)];
  const outputs = portsOf(source, byName, 'outputs');
  const inputs = portsOf(target, byName, 'inputs');
  const output = outputs?.find(({ port }) => port === source.port);
  const input = inputs?.find(({ port }) => port === target.port);
  const failures = [
    ...(byName.has(source.node) ? [] : [unknownNode(source, from)]),
    ...(byName.has(target.node) ? [] : [unknownNode(target, to)]),
    ...(outputs && !output ? [unknownPort(source, 'output', outputs)] : []),
    ...(inputs && !input ? [unknownPort(target, 'input', inputs)] : []),
  ];
  if (!output || !input || output.type === input.type) return failures;
  const message = `${from} gives ${output.type} and ${to} takes ${input.type}; connect ports of one type.`;
  return [...failures, { code: 'TYPES_DIFFER', ...target, message }];
}

/** undefined where the node or its template is unknown, and its ports with it. */
function portsOf<S extends 'inputs' | 'outputs'>({ node }: EdgeEnd, byName: NodesByName, side: S) {
  const template: NodeTemplate | undefined = nodeTemplate(byName.get(node)?.node_id ?? '');
  return template?.[side];
}

function unknownNode(end: EdgeEnd, text: string): ReadinessFailure {
  const message = `The edge end ${text} names no node of the draft; write id.port of an existing node.`;
  return { code: 'EDGE_NODE_UNKNOWN', ...end, message };
}

function unknownPort(end: EdgeEnd, side: 'input' | 'output', ports: readonly OutputPort[]): ReadinessFailure {
  const known = ports.length === 0 ? 'it has none' : `it has ${ports.map(({ port }) => port).join(', ')}`;
  return { code: 'EDGE_PORT_UNKNOWN', ...end, message: `${end.node} has no ${side} ${end.port}; ${known}.` };
}

function connectionFailures(byName: NodesByName, edges: readonly WorkflowEdge[]): ReadinessFailure[] {
  const sources = Map.groupBy(edges, ({ to }) => to);
  return [...byName.values()].flatMap(({ id, node_id }) =>
    (nodeTemplate(node_id)?.inputs ?? []).flatMap((input) => {
      const message = connectionFault(
        input,
        (sources.get(`${id}.${input.port}`) ?? []).map(({ from }) => from),
      );
      return message ? [{ ...message, node: id, port: input.port }] : [];
    }),
  );
}

function connectionFault({ type, required, multiple }: InputPort, sources: readonly string[]) {
  if (required && sources.length === 0) {
    return { code: 'INPUT_UNCONNECTED', message: `Connect an output of type ${type} to this input.` } as const;
  }
  if (multiple || sources.length < 2) return undefined;
  const message = `This input takes one edge; keep one of those from ${sources.slice(0, 5).join(', ')}.`;
  return { code: 'INPUT_CONNECTED_TWICE', message } as const;
}
