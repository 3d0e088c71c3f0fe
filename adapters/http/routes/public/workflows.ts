import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import {
  browseWorkflows,
  exportSkill,
  exportSnapshot,
  readSnapshot,
} from '../../../../application/workflows/publish-workflow.ts';
import { snapshotView } from '../../../../domain/workflows/snapshot.ts';
import type { AgentGuide } from '../../../../domain/workflows/workflow-files.ts';
import { memberLines, parameterLine, refusalLines, refusalsOf } from '../../guide/reference-lines.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { openApiDocument } from '../../openapi/openapi-document.ts';
import { type Answer, inlinedDocument, type Operation, type Reference } from '../../openapi/reference.ts';
import { submissionExample } from '../../shapes/decisions/submission.ts';
import { asFile, FILE_HEADERS, YAML_FILE, ZIP } from '../../shapes/files.ts';
import { marketplaceExample, snapshotExample } from '../../shapes/workflows/workflow-examples.ts';
import { marketplacePage, marketplaceQuery, snapshotPath, workflowSnapshot } from '../../shapes/workflows/workflows.ts';

const tag = 'Workflows';

export function marketplaceEndpoint(ports: Pick<Ports, 'workflowReader' | 'settings'>) {
  return endpoint({
    id: 'browseWorkflows',
    method: 'GET',
    path: '/api/v1/public/workflows',
    summary: 'Browse public workflows',
    description:
      'Lists public workflows, each at its last public snapshot. `most_used` sorts by `decision_count`, which is shown ' +
      'only for enough decisions by enough owners. Every kind of credential is accepted. Owners are never named.',
    tag,
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    query: marketplaceQuery,
    replies: {
      200: {
        description: 'A page of workflows.',
        schema: marketplacePage,
        example: { items: [marketplaceExample], page: 1, per_page: 20, total: 1 },
      },
    },
    problems: [],
    async handle({ query }) {
      return { status: 200, body: await browseWorkflows(ports, query) };
    },
  });
}

export function readSnapshotEndpoint(ports: Pick<Ports, 'workflowSnapshots'>) {
  return endpoint({
    id: 'readSnapshot',
    method: 'GET',
    path: '/api/v1/public/workflows/snapshots/{hash}',
    summary: 'Read a published workflow',
    description:
      'Finds it by its hash, which covers `schema_version`, `kind`, `name`, `description`, `tags`, `nodes` and `edges`. ' +
      'A public snapshot needs no credential; any other is visible to its owner only.',
    tag,
    auth: 'optional',
    params: snapshotPath,
    replies: { 200: { description: 'The snapshot.', schema: workflowSnapshot, example: snapshotExample } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: snapshotView(await readSnapshot(ports, params.hash, caller?.owner_id ?? null)) };
    },
  });
}

const INTRODUCTION = `# Requests of an agent

Prefix every path with \`$BASE_URL\`. Send the header \`X-API-Key: $API_KEY\`, and JSON in UTF-8 as \`application/json\`. Every
refusal is \`{ error: { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`: do what
\`suggestion\` says. If \`retry_after_seconds\` is not null, wait that long; if it is null, waiting does not help. In every
response \`x-ratelimit-remaining\` and \`x-quota-remaining\` show the remaining requests and units.`;

export function exportSnapshotEndpoint(ports: Pick<Ports, 'workflowSnapshots' | 'workflowYaml'>) {
  return endpoint({
    id: 'exportSnapshot',
    method: 'GET',
    path: '/api/v1/public/workflows/snapshots/{hash}/yaml',
    summary: 'Export a published workflow as YAML',
    description:
      'The same snapshot gives the same bytes. The file can be imported. It names no visibility, which is not part of a snapshot. ' +
      'Every caller who may read the snapshot may export it.',
    tag,
    auth: 'optional',
    params: snapshotPath,
    replies: { 200: YAML_FILE },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      return asFile(await exportSnapshot(ports, params.hash, caller?.owner_id ?? null));
    },
  });
}

/** @param submit the endpoint that takes decisions @param agents the endpoints that the archive describes */
export function exportSkillEndpoint(
  ports: Pick<Ports, 'workflowSnapshots' | 'workflowYaml' | 'packSkill'>,
  submit: Pick<Endpoint, 'method' | 'path'>,
  agents: readonly Endpoint[],
) {
  let guide: AgentGuide | undefined;
  return endpoint({
    id: 'exportSkill',
    method: 'GET',
    path: '/api/v1/public/workflows/snapshots/{hash}/export',
    summary: 'Export a published workflow as a skill',
    description:
      'A zip with one folder in the Agent Skills format: `SKILL.md` with the steps in order and how to submit, ' +
      '`references/workflow.yaml`, `references/api.md`, `assets/decision.example.json`. The same snapshot gives the same bytes. ' +
      'Every caller who may read the snapshot may export it.',
    tag,
    auth: 'optional',
    params: snapshotPath,
    replies: {
      200: {
        description: 'The archive.',
        contentType: ZIP,
        schema: z.instanceof(Uint8Array),
        example: new Uint8Array(),
        headers: FILE_HEADERS,
      },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      guide ??= { submit, submission: submissionExample, reference: agentReference(agents) };
      return asFile(await exportSkill(ports, params.hash, caller?.owner_id ?? null, guide));
    },
  });
}

/** The endpoints in Markdown, complete without other documents; generated from the published OpenAPI document. */
function agentReference(endpoints: readonly Endpoint[]): string {
  const { paths } = inlinedDocument(openApiDocument(endpoints, ''));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationText(method.toUpperCase(), path, operation)),
  );
  return `${[INTRODUCTION, ...operations, '## Refusals', refusalLines(operationsOf(paths))].join('\n\n')}\n`;
}

function operationText(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const bodies = Object.values(requestBody?.content ?? {});
  const parts = [
    `## ${method} ${path}`,
    `${summary}. ${description}`,
    parameters.map(parameterLine).join('\n'),
    ...bodies.map(({ schema, example }) => `Body:\n\n${memberLines(schema).join('\n')}\n\n${code(example)}`),
    ...Object.entries(responses).flatMap(([status, answer]) => answerText(status, answer)),
    `Error codes: ${refusalsOf(operation).join(', ')}.`,
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function answerText(status: string, { description, content }: Answer): string[] {
  if (!status.startsWith('2')) return [];
  const examples = Object.values(content ?? {}).flatMap(({ example }) =>
    example === undefined ? [] : [code(example)],
  );
  return [`Reply ${status}: ${description}`, ...examples];
}

function code(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function operationsOf(paths: Reference['paths']): readonly Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}
