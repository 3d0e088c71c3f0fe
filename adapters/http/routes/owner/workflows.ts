import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import {
  addWorkflow,
  changeWorkflow,
  workflowDetail as detailOf,
  forkWorkflow,
  readOwnWorkflow,
  removeWorkflow,
} from '../../../../application/workflows/change-workflow.ts';
import {
  exportDraft,
  listOwnWorkflows,
  listPublications,
  type PublishPorts,
  publishWorkflow,
  readUsage,
} from '../../../../application/workflows/publish-workflow.ts';
import { TIER_LIMITS, WORKFLOW } from '../../../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';
import { SCHEMA_VERSION, snapshotView, WORKFLOW_KIND } from '../../../../domain/workflows/snapshot.ts';
import { summaryOf } from '../../../../domain/workflows/workflow.ts';
import type { YamlReading } from '../../../../domain/workflows/workflow-files.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { parseJson } from '../../kit/input/json-text.ts';
import { documentReader } from '../../kit/input/read-input.ts';
import { asFile, YAML_FILE } from '../../shapes/files.ts';
import { documentExample, workflowDocument } from '../../shapes/workflows/workflow-document.ts';
import { draftExample, newWorkflow, workflowChange } from '../../shapes/workflows/workflow-draft.ts';
import {
  detailExample,
  publicationExample,
  snapshotExample,
  summaryExample,
  usageExample,
} from '../../shapes/workflows/workflow-examples.ts';
import {
  numberedPage,
  publicationPage,
  workflowDetail,
  workflowPage,
  workflowPath,
  workflowSnapshot,
  workflowSummary,
  workflowsQuery,
  workflowUsage,
} from '../../shapes/workflows/workflows.ts';

export function workflowEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listWorkflowsEndpoint(ports),
    createWorkflowEndpoint(ports),
    importWorkflowEndpoint(ports),
    readWorkflowEndpoint(ports),
    updateWorkflowEndpoint(ports),
    deleteWorkflowEndpoint(ports),
    forkWorkflowEndpoint(ports),
    ...snapshotEndpoints(ports),
    exportWorkflowEndpoint(ports),
  ];
}

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_WORKFLOWS = '/api/v1/owner/workflows';
const ONE_WORKFLOW = `${ALL_WORKFLOWS}/{id}` as const;

function listWorkflowsEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'listWorkflows',
    method: 'GET',
    path: ALL_WORKFLOWS,
    summary: 'List your workflows',
    description: 'Lists the current drafts. Names are sorted by their characters’ code points.',
    tag,
    auth,
    query: workflowsQuery,
    replies: {
      200: {
        description: 'A page of drafts.',
        schema: workflowPage,
        example: { items: [summaryExample], page: 1, per_page: 20, total: 1 },
      },
    },
    problems: [],
    async handle({ caller, query }) {
      return { status: 200, body: await listOwnWorkflows(ports, caller.owner_id, query) };
    },
  });
}

function createWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'clock'>) {
  return endpoint({
    id: 'createWorkflow',
    method: 'POST',
    path: ALL_WORKFLOWS,
    summary: 'Create a workflow',
    description:
      'The draft may be unfinished: reading it lists what is missing for publication. Without `visibility` it gets your ' +
      'preferred visibility, else `private`. Your tier limits the number of workflows: ' +
      `free ${TIER_LIMITS.free.workflows}, pro ${TIER_LIMITS.pro.workflows}.`,
    tag,
    grows: true,
    auth,
    body: { schema: newWorkflow, example: draftExample },
    replies: { 201: { description: 'The draft, as version 1.', schema: workflowSummary, example: summaryExample } },
    problems: ['TIER_LIMIT_REACHED'],
    async handle({ caller, body }) {
      return { status: 201, body: summaryOf(await addWorkflow(ports, caller, body)) };
    },
  });
}

function readWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'readWorkflow',
    method: 'GET',
    path: ONE_WORKFLOW,
    summary: 'Read one of your workflows',
    description: 'Returns the current draft and everything that prevents its publication.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'The draft.', schema: workflowDetail, example: detailExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: await readOwnWorkflow(ports, caller.owner_id, params.id) };
    },
  });
}

function updateWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'configFaults'>) {
  return endpoint({
    id: 'updateWorkflow',
    method: 'PUT',
    path: ONE_WORKFLOW,
    summary: 'Change a workflow',
    description:
      'Omitted members stay as they are. The draft must be at `expected_version`; otherwise 409 shows the ' +
      'current version in `details`. Published snapshots and their visibility change only when you publish again.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    body: { schema: workflowChange, example: { expected_version: 1, visibility: 'public' } },
    replies: {
      200: {
        description: 'The draft, with the next version number.',
        schema: workflowDetail,
        example: { ...detailExample, version: 2 },
      },
    },
    problems: ['NOT_OWNER', 'NOT_FOUND', 'VERSION_CONFLICT'],
    async handle({ caller, params, body }) {
      const { expected_version, ...change } = body;
      const changed = await changeWorkflow(ports, caller.owner_id, params.id, expected_version, change);
      return { status: 200, body: await detailOf(ports, changed) };
    },
  });
}

function deleteWorkflowEndpoint(ports: Pick<Ports, 'workflows'>) {
  return endpoint({
    id: 'deleteWorkflow',
    method: 'DELETE',
    path: ONE_WORKFLOW,
    summary: 'Delete a workflow',
    description:
      'Deletes the draft permanently and removes it from the marketplace. Its snapshots remain for the records that refer to them.',
    tag,
    auth,
    params: workflowPath,
    replies: { 204: { description: 'The workflow is deleted.' } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      await removeWorkflow(ports, caller.owner_id, params.id);
      return { status: 204 };
    },
  });
}

function forkWorkflowEndpoint(
  ports: Pick<Ports, 'workflows' | 'workflowSnapshots' | 'transaction' | 'clock' | 'configFaults'>,
) {
  return endpoint({
    id: 'forkWorkflow',
    method: 'POST',
    path: `${ONE_WORKFLOW}/fork`,
    summary: 'Copy a workflow',
    description:
      'Copies the current draft of your own workflow, or the last public snapshot of a public workflow of another ' +
      'owner. You own the copy; it has your preferred visibility, else `private`.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    replies: { 201: { description: 'The copy, as version 1.', schema: workflowDetail, example: detailExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND', 'TIER_LIMIT_REACHED'],
    async handle({ caller, params }) {
      return { status: 201, body: await detailOf(ports, await forkWorkflow(ports, caller, params.id)) };
    },
  });
}

function importWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'clock' | 'workflowYaml'>) {
  const readDocument = documentReader(workflowDocument);
  return endpoint({
    id: 'importWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows/import',
    summary: 'Import a workflow from YAML',
    description:
      'Takes a draft in the form of the export, with `schema_version: v1` and `kind: stancebook.workflow`. It may be unfinished, but ' +
      'every node must exist. The body is one YAML 1.2 document of at most 64 KiB, without aliases, anchors, tags and directives. ' +
      'Each fault names its line and column. While one import of an owner is being read, another one is RATE_LIMIT_EXCEEDED.',
    tag,
    grows: true,
    auth,
    body: {
      schema: z.string(),
      example: documentExample,
      limit: WORKFLOW.importBytes,
      contentType: 'application/yaml',
    },
    replies: { 201: { description: 'The draft, as version 1.', schema: workflowSummary, example: summaryExample } },
    problems: ['UNSUPPORTED_SCHEMA', 'TIER_LIMIT_REACHED'],
    async handle({ caller, body }) {
      const reading = await ports.workflowYaml.read(body, caller.owner_id);
      const document = parseJson(reading.json);
      refuseOtherSchemas(document, reading);
      const draft = readDocument(document, (detail) => placed(detail, reading));
      return { status: 201, body: summaryOf(await addWorkflow(ports, caller, draft)) };
    },
  });
}

function refuseOtherSchemas(document: unknown, reading: YamlReading): void {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return;
  const found: Readonly<Record<string, unknown>> = { ...document };
  const details = Object.entries({ schema_version: SCHEMA_VERSION, kind: WORKFLOW_KIND })
    .filter(([path, known]) => found[path] !== known)
    .map(([path, known]) => placed({ path, message: `must be ${known}` }, reading));
  if (details.length === 0) return;
  throw new Problem('UNSUPPORTED_SCHEMA', 'The document is not a workflow of a known version.', {
    suggestion: `Begin it with the lines schema_version: ${SCHEMA_VERSION} and kind: ${WORKFLOW_KIND}.`,
    details,
  });
}

/** Adds the place of the faulty member, or of its nearest parent in the document. */
function placed(detail: ProblemDetail, { places }: YamlReading): ProblemDetail {
  for (let path = detail.path; ; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const place = places.get(path);
    if (place || path === '') return { ...detail, ...place };
  }
}

function exportWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'workflowYaml'>) {
  return endpoint({
    id: 'exportWorkflow',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/yaml',
    summary: 'Export a workflow as YAML',
    description: 'Returns the current draft. Importing the export gives an equal draft.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: YAML_FILE },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return asFile(await exportDraft(ports, caller.owner_id, params.id));
    },
  });
}

function snapshotEndpoints(ports: Ports): readonly Endpoint[] {
  return [listSnapshotsEndpoint(ports), publishWorkflowEndpoint(ports), workflowUsageEndpoint(ports)];
}

function listSnapshotsEndpoint(ports: Pick<Ports, 'workflows' | 'workflowSnapshots'>) {
  return endpoint({
    id: 'listSnapshots',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'List the publications of a workflow',
    description: 'Lists every publication, newest first. The same content always has the same hash.',
    tag,
    auth,
    params: workflowPath,
    query: z.strictObject(numberedPage),
    replies: {
      200: {
        description: 'A page of publications.',
        schema: publicationPage,
        example: { items: [publicationExample], page: 1, per_page: 20, total: 1 },
      },
    },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params, query }) {
      return { status: 200, body: await listPublications(ports, caller.owner_id, params.id, query) };
    },
  });
}

function publishWorkflowEndpoint(ports: PublishPorts) {
  return endpoint({
    id: 'publishWorkflow',
    method: 'POST',
    path: '/api/v1/owner/workflows/{id}/snapshots',
    summary: 'Publish a workflow',
    description:
      'Makes a permanent snapshot of the draft with the visibility of the draft. ' +
      'A public snapshot cannot be made private again. Decisions refer to it by `workflow_ref`.',
    tag,
    grows: true,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'The snapshot.', schema: workflowSnapshot, example: snapshotExample } },
    problems: ['WORKFLOW_NOT_READY', 'NOT_OWNER', 'NOT_FOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, params, network }) {
      return { status: 200, body: snapshotView(await publishWorkflow(ports, { owner_id, network }, params.id)) };
    },
  });
}

function workflowUsageEndpoint(ports: Pick<Ports, 'workflows' | 'workflowReader' | 'settings'>) {
  return endpoint({
    id: 'readWorkflowUsage',
    method: 'GET',
    path: '/api/v1/owner/workflows/{id}/usage',
    summary: 'Read how a workflow was used',
    description:
      'Counts decisions that refer to any of its snapshots: your own, and public ones of other owners. The outcomes of ' +
      'others are shown only for enough decisions by enough owners, and their owners are never named.',
    tag,
    auth,
    params: workflowPath,
    replies: { 200: { description: 'Raw counts.', schema: workflowUsage, example: usageExample } },
    problems: ['NOT_OWNER', 'NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: await readUsage(ports, caller.owner_id, params.id) };
    },
  });
}
