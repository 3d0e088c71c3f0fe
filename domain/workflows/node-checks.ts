import { hiddenTexts } from '../hidden-texts.ts';
import { WORKFLOW } from '../limits.ts';
import { nodeTemplate } from './node-catalogue.ts';
import type { ConfigFaults } from './node-template.ts';
import type { ReadinessFailure } from './readiness-failure.ts';
import type { Draft, WorkflowNode } from './workflow.ts';

/** What the draft as a whole lacks. */
export function wholeFailures({ name, description, tags, nodes }: Draft): ReadinessFailure[] {
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
export function nodeFailures(nodes: readonly WorkflowNode[], configFaults: ConfigFaults): ReadinessFailure[] {
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
