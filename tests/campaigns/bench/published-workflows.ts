import { onClient } from '../stage/client.ts';

const WORKFLOWS = 40;

/** Publishes empty workflows of owners that do not exist otherwise. Returns their hashes. */
export async function publishWorkflows(url: string): Promise<readonly string[]> {
  const publish = `
    with content as (
      select json_build_object('name', 'Workflow ' || n, 'description', '', 'tags', '[]'::json, 'nodes', '[]'::json)::text as content
      from generate_series(1, ${WORKFLOWS}) n
    ), snapshots as (
      insert into app.workflow_snapshots (hash, content, name_folded)
      select encode(sha256(convert_to(content, 'UTF8')), 'hex'), content, '' from content returning hash
    )
    insert into app.workflow_publications (hash, workflow_id, owner_id, visibility, at)
    select hash, gen_random_uuid(), gen_random_uuid(), 'public', app.now() from snapshots returning hash`;
  const { rows } = await onClient(url, (client) => client.query<{ hash: string }>(publish));
  return rows.map(({ hash }) => hash);
}
