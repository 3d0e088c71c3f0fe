import { skillName, slug } from '../../domain/workflows/skill-name.ts';
import type { SnapshotContent } from '../../domain/workflows/snapshot.ts';
import { type AgentGuide, draftDocument } from '../../domain/workflows/workflow-files.ts';
import type { Ports } from '../ports.ts';
import { findOwn } from './find-workflow.ts';
import { readSnapshot } from './read-snapshot.ts';

/** A file and its suggested name: ASCII without spaces and quotes. */
export interface NamedFile<Content> {
  readonly name: string;
  readonly content: Content;
}

/** The owner's current draft as YAML, ready or not. @throws Problem NOT_FOUND, NOT_OWNER */
export async function exportDraft(
  { workflows, workflowYaml }: Pick<Ports, 'workflows' | 'workflowYaml'>,
  owner_id: string,
  id: string,
): Promise<NamedFile<string>> {
  const workflow = await findOwn((known) => workflows.find(known), owner_id, id);
  return { name: `${slug(workflow.name) ?? 'workflow'}.yaml`, content: workflowYaml.write(draftDocument(workflow)) };
}

/** A snapshot as YAML that can be imported. @param viewer as in `readSnapshot` @throws Problem NOT_FOUND */
export async function exportSnapshot(
  { workflowSnapshots, workflowYaml }: Pick<Ports, 'workflowSnapshots' | 'workflowYaml'>,
  hash: string,
  viewer: string | null,
): Promise<NamedFile<string>> {
  const snapshot = await readSnapshot({ workflowSnapshots }, hash, viewer);
  const document = JSON.parse(snapshot.content) as SnapshotContent;
  return { name: `${skillName(snapshot)}.yaml`, content: workflowYaml.write(document) };
}

/**
 * A snapshot as a skill by which an agent works and submits (settled.md section 11).
 * @param viewer as in `readSnapshot`
 * @throws Problem NOT_FOUND
 */
export async function exportSkill(
  { workflowSnapshots, workflowYaml, packSkill }: Pick<Ports, 'workflowSnapshots' | 'workflowYaml' | 'packSkill'>,
  hash: string,
  viewer: string | null,
  guide: AgentGuide,
): Promise<NamedFile<Uint8Array<ArrayBuffer>>> {
  const snapshot = await readSnapshot({ workflowSnapshots }, hash, viewer);
  const yaml = workflowYaml.write(JSON.parse(snapshot.content) as SnapshotContent);
  return { name: `${skillName(snapshot)}.skill`, content: packSkill({ snapshot, yaml, guide }) };
}
