import { type Readiness, readiness } from '../../domain/workflows/readiness.ts';
import { type Summary, summaryOf, type Workflow } from '../../domain/workflows/workflow.ts';
import type { Ports } from '../ports.ts';
import { findOwn } from './find-workflow.ts';

/** A workflow as its owner sees it, with what is missing for publication (settled.md section 11). */
export interface WorkflowDetail extends Summary, Pick<Workflow, 'nodes' | 'edges'> {
  readonly readiness: Readiness;
}

export function workflowDetail({ configFaults }: Pick<Ports, 'configFaults'>, workflow: Workflow): WorkflowDetail {
  const { nodes, edges } = workflow;
  return { ...summaryOf(workflow), nodes, edges, readiness: readiness(workflow, configFaults) };
}

/** @throws Problem NOT_FOUND, NOT_OWNER */
export async function readOwnWorkflow(
  ports: Pick<Ports, 'workflows' | 'configFaults'>,
  owner_id: string,
  id: string,
): Promise<WorkflowDetail> {
  return workflowDetail(ports, await findOwn((known) => ports.workflows.find(known), owner_id, id));
}
