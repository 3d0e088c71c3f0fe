import { z } from 'zod';
import type { Ports } from '../../../../application/ports.ts';
import { exportSkill, exportSnapshot } from '../../../../application/workflows/export-workflow.ts';
import type { AgentGuide } from '../../../../domain/workflows/workflow-files.ts';
import { agentReference } from '../../guide/agent-reference.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import { submissionExample } from '../../shapes/decisions/submission.ts';
import { asFile, FILE_HEADERS, YAML_FILE, ZIP } from '../../shapes/files.ts';
import { snapshotPath } from '../../shapes/workflows/workflow-queries.ts';

const tag = 'Workflows';

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
