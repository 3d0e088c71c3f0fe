import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import { addWorkflow } from '../../../../application/workflows/change-workflow.ts';
import { exportDraft } from '../../../../application/workflows/publish-workflow.ts';
import { WORKFLOW } from '../../../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../../../domain/problem.ts';
import { SCHEMA_VERSION, WORKFLOW_KIND } from '../../../../domain/workflows/snapshot.ts';
import { summaryOf } from '../../../../domain/workflows/workflow.ts';
import type { YamlReading } from '../../../../domain/workflows/workflow-files.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { parseJson } from '../../kit/input/json-text.ts';
import { documentReader } from '../../kit/input/read-input.ts';
import { asFile, YAML_FILE } from '../../shapes/files.ts';
import { documentExample, workflowDocument } from '../../shapes/workflows/workflow-document.ts';
import { summaryExample } from '../../shapes/workflows/workflow-examples.ts';
import { workflowPath } from '../../shapes/workflows/workflow-queries.ts';
import { workflowSummary } from '../../shapes/workflows/workflows.ts';

const tag = 'Workflows';
const auth = ['owner_bearer', 'legacy_session'] as const;

export function importWorkflowEndpoint(ports: Pick<Ports, 'transaction' | 'clock' | 'workflowYaml'>) {
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

export function exportWorkflowEndpoint(ports: Pick<Ports, 'workflows' | 'workflowYaml'>) {
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
