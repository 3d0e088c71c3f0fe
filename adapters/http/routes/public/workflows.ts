import type { Ports } from '../../../../application/ports.ts';
import { browseWorkflows, readSnapshot } from '../../../../application/workflows/publish-workflow.ts';
import { snapshotView } from '../../../../domain/workflows/snapshot.ts';
import { endpoint } from '../../kit/endpoint.ts';
import { marketplaceExample, snapshotExample } from '../../shapes/workflows/workflow-examples.ts';
import { marketplaceQuery, snapshotPath } from '../../shapes/workflows/workflow-queries.ts';
import { marketplacePage, workflowSnapshot } from '../../shapes/workflows/workflows.ts';

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
