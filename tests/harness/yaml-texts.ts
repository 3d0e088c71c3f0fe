import fc from 'fast-check';
import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { skillMarkdown } from '../../adapters/formats/skill-markdown.ts';
import { writeYaml } from '../../adapters/formats/workflow-yaml.ts';
import { sha256Hex } from '../../application/sha256.ts';
import { SCHEMA_VERSION, sealSnapshot, skillName, snapshotContent } from '../../domain/workflows/snapshot.ts';
import { draftDocument } from '../../domain/workflows/workflow-files.ts';
import { ODD_NAMES } from '../builders/odd-names.ts';
import { aReadyDraft, node } from '../builders/workflows.ts';
import { anyDraft, SENDABLE_TEXTS } from '../builders/yaml-drafts.ts';

const workflow_ref = `wf:${'0'.repeat(64)}`;
const submit = { method: 'POST', path: '/api/v1/agent/decisions' };

/** YAML as it is written, each with the value that every reader must get: files of workflows and heads of skills. */
export function yamlTexts(drafts: number): (readonly [text: string, value: unknown])[] {
  const nodes = SENDABLE_TEXTS.map((text, index) =>
    node(`n${index}`, 'data.bars', { [text]: [text, { [text]: text }] }),
  );
  const documents = [aReadyDraft({ nodes }), ...fc.sample(anyDraft, drafts)].map(draftDocument);
  const names = [...ODD_NAMES, ...SENDABLE_TEXTS.filter((text) => text.trim() !== '' && text.length <= 120)];
  return [...documents.map((document) => [writeYaml(document), document] as const), ...names.map(headOf)];
}

/** The head of the skill of a workflow with this name and description. */
function headOf(text: string): readonly [string, unknown] {
  const { name, markdown } = oddSkill(text);
  const [, head = ''] = markdown.split(/^---$/m);
  return [head, { name, description: text, metadata: { workflow_ref, schema_version: SCHEMA_VERSION } }];
}

/** The skill of a workflow with this name, which is its description too. */
export function oddSkill(text: string): { readonly name: string; readonly markdown: string } {
  const draft = aReadyDraft({ name: text, description: text });
  const name = skillName(sealSnapshot(draft, canonicalJson, sha256Hex));
  return { name, markdown: skillMarkdown({ name, content: snapshotContent(draft), workflow_ref, submit }) };
}
