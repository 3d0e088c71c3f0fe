import { nodeTemplate } from './node-catalogue.ts';
import type { InputPort, NodeTemplate, OutputPort } from './node-template.ts';
import type { ReadinessFailure } from './readiness-failure.ts';
import { type EdgeEnd, edgeEnd } from './wiring.ts';
import type { Draft, WorkflowEdge, WorkflowNode } from './workflow.ts';

type NodesByName = ReadonlyMap<string, WorkflowNode>;

/** The faults of the edges, and of the inputs that they connect or leave open. */
export function edgeFailures({ nodes, edges }: Draft): ReadinessFailure[] {
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
