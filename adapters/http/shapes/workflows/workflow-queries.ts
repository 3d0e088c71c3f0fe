import { z } from 'zod';
import { NUMBERED_PAGE, WORKFLOW } from '../../../../domain/limits.ts';
import { WORKFLOW_SORTS } from '../../../../domain/workflows/workflow.ts';
import { MARKETPLACE_SORTS } from '../../../../domain/workflows/workflow-reader.ts';
import { queryInt64, queryInteger } from '../../kit/input/query-values.ts';
import { visibility } from '../texts.ts';

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
