import { z } from 'zod';
import { READINESS_CODES } from '../../../domain/workflows/readiness-failure.ts';
import { SCHEMA_VERSION, WORKFLOW_KIND } from '../../../domain/workflows/snapshot.ts';
import { instant } from '../kit/input/query-values.ts';
import { count, distribution } from './counts.ts';
import { visibility } from './words.ts';

const hash = z.string().describe('SHA-256 of the RFC 8785 form of what was published.');

const summary = {
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()).readonly(),
  visibility,
  node_count: count(),
  version: z.int().min(1),
  published_hash: hash.nullable().describe('What it was last published with; null before the first time.'),
  created_at: instant(),
  updated_at: instant(),
};

export const workflowSummary = z.strictObject(summary).meta({ id: 'WorkflowSummary' });

const wiring = {
  nodes: z
    .array(
      z
        .strictObject({ id: z.string(), node_id: z.string(), config: z.record(z.string(), z.unknown()) })
        .meta({ id: 'WorkflowNode' }),
    )
    .readonly(),
  edges: z.array(z.strictObject({ from: z.string(), to: z.string() }).meta({ id: 'WorkflowEdge' })).readonly(),
};

export const workflowDetail = z
  .strictObject({
    ...summary,
    ...wiring,
    readiness: z
      .strictObject({
        ready: z.boolean().describe('Whether it can be published as it is.'),
        failures: z
          .array(
            z
              .strictObject({
                code: z.enum(READINESS_CODES),
                node: z.string().nullable(),
                port: z.string().nullable(),
                message: z.string(),
              })
              .meta({ id: 'ReadinessFailure' }),
          )
          .readonly(),
      })
      .meta({ id: 'WorkflowReadiness' }),
  })
  .meta({ id: 'WorkflowDetail' });

/** A page of a numbered list (settled.md section 12). */
function numbered<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item).readonly(),
    page: z.int().min(1),
    per_page: z.int().min(1),
    total: count().describe('On all pages.'),
  });
}

const workflow_ref = z.string().describe('What a submission names it by.');
const published = { hash, workflow_ref, published_at: instant() };

/** A row of the history of a workflow. */
export const publication = z
  .strictObject({
    ...published,
    visibility: visibility.describe('For whom it was published then; for good.'),
    name: z.string(),
    node_count: count(),
  })
  .meta({ id: 'WorkflowPublication' });

export const workflowSnapshot = z
  .strictObject({
    ...published,
    visibility: visibility.describe('`public` once it was published for everybody.'),
    node_count: count(),
    schema_version: z.literal(SCHEMA_VERSION),
    kind: z.literal(WORKFLOW_KIND),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).readonly(),
    ...wiring,
  })
  .meta({ id: 'WorkflowSnapshot' });

export const marketplaceItem = z
  .strictObject({
    id: z.uuid().describe('To fork it by.'),
    ...published,
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).readonly(),
    node_count: count(),
    decision_count: count()
      .nullable()
      .describe('Public decisions that name a snapshot of it; null while they or their producers are too few.'),
  })
  .meta({ id: 'PublishedWorkflow' });

export const workflowPage = numbered(workflowSummary).meta({ id: 'WorkflowPage' });
export const publicationPage = numbered(publication).meta({ id: 'WorkflowPublicationPage' });
export const marketplacePage = numbered(marketplaceItem).meta({ id: 'PublishedWorkflowPage' });

export const workflowUsage = z
  .strictObject({
    decisions: z.strictObject({
      total: count().describe('Of your own, all that name a snapshot of it; of others’, those that are public.'),
      evaluated: count(),
      result_distribution: distribution
        .nullable()
        .describe('null while decisions of other owners exist, but they or their agents are too few to show.'),
    }),
    forks: count().describe('Workflows that are copies of it.'),
    snapshots: count().describe('Different contents that it was published with.'),
    last_used_at: instant().nullable().describe('When the last of these decisions was submitted, to the minute.'),
  })
  .meta({ id: 'WorkflowUsage' });
