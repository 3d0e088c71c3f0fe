import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFile } from './accounts.ts';
import type { Client, OwnerClient, OwnWorkflow } from './client.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'docs', 'examples');

/** The agent whose owner publishes them. */
const AGENT = 'trend';

/**
 * Imports and publishes the example workflows as one of the owners, and stores them as skills in `skills/`. Finds those of an
 * earlier run by name.
 */
export async function workflowsInWords(client: Client, folder: string): Promise<string> {
  const { email, password } = JSON.parse(readFileSync(accountFile(folder, AGENT), 'utf8'));
  const owner = await client.logIn(email, password);
  const known = new Map((await owner.workflows()).map((workflow) => [workflow.name, workflow]));
  mkdirSync(join(folder, 'skills'), { recursive: true });
  const lines = [];
  for (const file of readdirSync(EXAMPLES)) {
    const yaml = readFileSync(join(EXAMPLES, file), 'utf8');
    const name = /^name: (.*)$/m.exec(yaml)?.[1] ?? '';
    const { node_count, hash } = await published(owner, yaml, known.get(name));
    const skill = join(folder, 'skills', file.replace('.yaml', '.skill'));
    writeFileSync(skill, await client.skill(hash));
    lines.push(`  ${name}: ${node_count} steps, wf:${hash.slice(0, 12)}..., as a skill in ${skill}`);
  }
  return ['Workflows that an agent can follow and submit by', ...lines].join('\n');
}

async function published(owner: OwnerClient, yaml: string, known: OwnWorkflow | undefined) {
  const workflow = known ?? (await owner.importYaml(yaml));
  const hash = workflow.published_hash ?? (await owner.publish(workflow.id));
  return { node_count: workflow.node_count, hash };
}
