import type { z } from 'zod';
import { draftExample } from './workflow-draft.ts';
import type {
  marketplaceItem,
  publication,
  workflowDetail,
  workflowSnapshot,
  workflowSummary,
  workflowUsage,
} from './workflows.ts';

const { name, description, tags, nodes, edges } = draftExample;
const id = '019c0f2e-6a00-7c3d-9b1e-2f4a5c6d7e8f';
const hash = '713b3154c3e8bccc34a6a1190cbf4a85d5af5a24240d0b0c3b42658b103d13b3';
const published_at = new Date('2026-01-30T14:35:00Z');

export const summaryExample: z.input<typeof workflowSummary> = {
  id,
  name,
  description,
  tags,
  visibility: 'public',
  node_count: nodes.length,
  version: 1,
  published_hash: null,
  created_at: new Date('2026-01-30T14:30:00Z'),
  updated_at: new Date('2026-01-30T14:30:00Z'),
};

export const detailExample: z.input<typeof workflowDetail> = {
  ...summaryExample,
  nodes,
  edges,
  readiness: { ready: true, failures: [] },
};

const published = { hash, workflow_ref: `wf:${hash}`, published_at };

export const publicationExample: z.input<typeof publication> = {
  ...published,
  visibility: 'public',
  name,
  node_count: nodes.length,
};

export const snapshotExample: z.input<typeof workflowSnapshot> = {
  ...publicationExample,
  schema_version: 'v1',
  kind: 'stancebook.workflow',
  description,
  tags,
  nodes,
  edges,
};

export const marketplaceExample: z.input<typeof marketplaceItem> = {
  id,
  ...published,
  name,
  description,
  tags,
  node_count: nodes.length,
  decision_count: 42,
};

export const usageExample: z.input<typeof workflowUsage> = {
  decisions: {
    total: 45,
    evaluated: 42,
    result_distribution: { strong_correct: 12, weak_correct: 11, weak_incorrect: 10, strong_incorrect: 9 },
  },
  forks: 3,
  snapshots: 2,
  last_used_at: new Date('2026-02-13T09:41:00Z'),
};
