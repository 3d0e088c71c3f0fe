import { strToU8, zipSync } from 'fflate';
import { workflowRef } from '../../domain/identifiers.ts';
import { type SnapshotContent, skillName } from '../../domain/workflows/snapshot.ts';
import type { SkillParts } from '../../domain/workflows/workflow-files.ts';
import { EXAMPLE_FILE, REFERENCE_FILE, skillMarkdown, WORKFLOW_FILE } from './skill-markdown.ts';

/** The earliest time that a zip can store, in the local time that zips use: the same everywhere. */
const MADE = new Date(1980, 0, 1);

/** The same level, time, order and system for every archive, so that its bytes depend only on its parts. */
const LAYOUT = { level: 6, mtime: MADE, os: 0 } as const;

/** Packs the four files of a skill into one folder that is named like the skill. */
export function packSkill({ snapshot, yaml, guide }: SkillParts): Uint8Array<ArrayBuffer> {
  const name = skillName(snapshot);
  const content = JSON.parse(snapshot.content) as SnapshotContent;
  const workflow_ref = workflowRef(snapshot.hash);
  const example = { ...guide.submission, workflow_ref };
  const files = {
    'SKILL.md': skillMarkdown({ name, content, workflow_ref, submit: guide.submit }),
    [WORKFLOW_FILE]: yaml,
    [REFERENCE_FILE]: guide.reference,
    [EXAMPLE_FILE]: `${JSON.stringify(example, null, 2)}\n`,
  };
  const entries = Object.entries(files).map(([file, text]) => [`${name}/${file}`, strToU8(text)]);
  return zipSync(Object.fromEntries(entries), LAYOUT);
}
