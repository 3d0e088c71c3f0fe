import type { NodeTemplate } from './node-template.ts';
import { ANALYSIS_NODES } from './node-templates/analysis.ts';
import { DATA_NODES } from './node-templates/data.ts';
import { DECISION_NODES } from './node-templates/decision.ts';
import { EVIDENCE_NODES } from './node-templates/evidence.ts';
import { INPUT_NODES } from './node-templates/input.ts';
import { LOGIC_NODES } from './node-templates/logic.ts';
import { RISK_NODES } from './node-templates/risk.ts';

/** Every kind of step, by group (settled.md section 11). */
export const NODE_TEMPLATES: readonly NodeTemplate[] = [
  ...INPUT_NODES,
  ...DATA_NODES,
  ...EVIDENCE_NODES,
  ...ANALYSIS_NODES,
  ...LOGIC_NODES,
  ...RISK_NODES,
  ...DECISION_NODES,
];

const BY_NODE_ID: ReadonlyMap<string, NodeTemplate> = new Map(
  NODE_TEMPLATES.map((template) => [template.node_id, template]),
);

export function nodeTemplate(node_id: string): NodeTemplate | undefined {
  return BY_NODE_ID.get(node_id);
}
