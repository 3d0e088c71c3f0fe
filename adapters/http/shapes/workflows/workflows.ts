import { z } from 'zod';
import { NUMBERED_PAGE, WORKFLOW } from '../../../../domain/limits.ts';
import { SCHEMA_VERSION, WORKFLOW_KIND } from '../../../../domain/workflows/snapshot.ts';
import { READINESS_CODES } from '../../../../domain/workflows/wiring.ts';
import { WORKFLOW_SORTS } from '../../../../domain/workflows/workflow.ts';
import { MARKETPLACE_SORTS } from '../../../../domain/workflows/workflow-reader.ts';
import { instant, queryInt64, queryInteger } from '../../kit/input/query-values.ts';
import { count, distribution } from '../counts.ts';
import { visibility } from '../texts.ts';

const hash = z.string().describe('SHA-256 of the RFC 8785 form of the published content.');

const summary = {
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()).readonly(),
  visibility,
  node_count: count(),
  version: z.int().min(1),
  published_hash: hash.nullable().describe('The hash of the last publication; null before the first.'),
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
        ready: z.boolean().describe('Whether the current draft can be published.'),
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
    total: count().describe('The number of items on all pages.'),
  });
}

const workflow_ref = z.string().describe('The reference for submissions.');
const published = { hash, workflow_ref, published_at: instant() };

/** A row of the history of a workflow. */
export const publication = z
  .strictObject({
    ...published,
    visibility: visibility.describe('The visibility of this publication; it never changes.'),
    name: z.string(),
    node_count: count(),
  })
  .meta({ id: 'WorkflowPublication' });

export const workflowSnapshot = z
  .strictObject({
    ...published,
    visibility: visibility.describe('`public` after any public publication.'),
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
    id: z.uuid().describe('The id for a fork.'),
    ...published,
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).readonly(),
    node_count: count(),
    decision_count: count()
      .nullable()
      .describe('Public decisions that refer to a snapshot of it; null while they or their owners are too few.'),
  })
  .meta({ id: 'PublishedWorkflow' });

export const workflowPage = numbered(workflowSummary).meta({ id: 'WorkflowPage' });
export const publicationPage = numbered(publication).meta({ id: 'WorkflowPublicationPage' });
export const marketplacePage = numbered(marketplaceItem).meta({ id: 'PublishedWorkflowPage' });

export const workflowUsage = z
  .strictObject({
    decisions: z.strictObject({
      total: count().describe(
        'Decisions that refer to a snapshot of it: all of your own, and public ones of other owners.',
      ),
      evaluated: count(),
      result_distribution: distribution
        .nullable()
        .describe('null while decisions of other owners exist and they or their owners are too few to show.'),
    }),
    forks: count().describe('The number of workflows that are copies of it.'),
    snapshots: count().describe('The number of different published contents.'),
    last_used_at: instant().nullable().describe('When the last of these decisions was submitted, to the minute.'),
  })
  .meta({ id: 'WorkflowUsage' });

const { perPage, defaultPerPage } = NUMBERED_PAGE;

export const numberedPage = {
  page: queryInt64(1).optional().describe('From 1; default 1.'),
  per_page: queryInteger(1, perPage).optional().describe(`Items per page; default ${defaultPerPage}.`),
};

const narrowed = {
  tag: z.string().min(1).max(WORKFLOW.tagLength).optional().describe('One of the tags, as it is written.'),
  search: z.string().min(1).max(WORKFLOW.nameLength).optional().describe('A part of the name, in any case.'),
};

export const workflowsQuery = z.strictObject({
  visibility: visibility.optional().describe('Only workflows with this visibility.'),
  ...narrowed,
  sort: z.enum(WORKFLOW_SORTS).optional().describe('Default `updated_desc`.'),
  ...numberedPage,
});

export const marketplaceQuery = z.strictObject({
  ...narrowed,
  sort: z.enum(MARKETPLACE_SORTS).optional().describe('Default `newest`.'),
  ...numberedPage,
});

/** A malformed id is treated like an unknown one. */
export const workflowPath = z.strictObject({ id: z.string().describe('The id of the workflow.') });
export const snapshotPath = z.strictObject({ hash: z.string().describe('64 lower-case hex digits.') });
