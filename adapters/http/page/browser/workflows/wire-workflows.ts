import type { NodeTemplate } from '../../../../../domain/workflows/node-template.ts';
import type { ReadinessFailure } from '../../../../../domain/workflows/wiring.ts';
import type { Draft, Visibility, WorkflowEdge, WorkflowNode } from '../../../../../domain/workflows/workflow.ts';
import type {
  marketplaceItem,
  publication,
  workflowDetail,
  workflowSnapshot,
  workflowSummary,
  workflowUsage,
} from '../../../shapes/workflows/workflows.ts';
import type { Reply } from '../kit/schemas.ts';

export type { Draft, NodeTemplate, ReadinessFailure, Visibility, WorkflowEdge, WorkflowNode };

/** The library of steps by `node_id`, in the order of the service. */
export type Library = ReadonlyMap<string, NodeTemplate>;

/** A row of the owner's list. */
export type WireSummary = Reply<typeof workflowSummary>;

/** A draft as it is stored, with what prevents its publication. */
export interface WireWorkflow extends Omit<Reply<typeof workflowDetail>, 'nodes'> {
  readonly nodes: readonly WorkflowNode[];
}

/** A row of the history of a workflow. */
export type WirePublication = Reply<typeof publication>;

/** A row of the marketplace. */
export type WireOffer = Reply<typeof marketplaceItem>;

export interface WireSnapshot extends Omit<Reply<typeof workflowSnapshot>, 'nodes'> {
  readonly nodes: readonly WorkflowNode[];
}

export type WireUsage = Reply<typeof workflowUsage>;

/** A page of a numbered list. */
export interface NumberedList<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
}

/** What an owner edits of a stored draft. */
export function draftOf({ name, description, tags, visibility, nodes, edges }: WireWorkflow): Draft {
  return { name, description, tags, visibility, nodes, edges };
}
