import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseFrontmatter, validate } from 'skills-ref';
import { parse } from 'yaml';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';
import { skillMarkdown } from '../../../adapters/formats/skill-markdown.ts';
import { sha256Hex } from '../../../application/sha256.ts';
import { skillName } from '../../../domain/workflows/skill-name.ts';
import { sealSnapshot, snapshotContent } from '../../../domain/workflows/snapshot.ts';
import { ODD_NAMES } from '../../builders/odd-names.ts';
import { aReadyDraft } from '../../builders/workflows.ts';
import { makeThrowawayFolder } from '../../harness/throwaway-folder.ts';

const workflow_ref = `wf:${'0'.repeat(64)}`;
const submit = { method: 'POST', path: '/api/v1/agent/decisions' };

/** The skill of a workflow with the name, which is its description too. */
function skillOf(text: string) {
  const draft = aReadyDraft({ name: text, description: text });
  const name = skillName(sealSnapshot(draft, canonicalJson, sha256Hex));
  return { name, markdown: skillMarkdown({ name, content: snapshotContent(draft), workflow_ref, submit }) };
}

describe('the front matter of a skill', () => {
  let folder: string;
  beforeAll(() => {
    folder = makeThrowawayFolder('skills');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has texts as name and description, whatever the workflow is called', async () => {
    expect(new Set(ODD_NAMES).size).toBeGreaterThan(200);
    const names = new Set<string>();
    for (const text of ODD_NAMES) {
      const { name, markdown } = skillOf(text);
      const expected = { name, description: text, metadata: { workflow_ref, schema_version: 'v1' } };
      expect(parseFrontmatter(markdown)[0]).toEqual(expected);
      const [, head = ''] = markdown.split(/^---$/m);
      for (const version of ['1.1', '1.2'] as const)
        expect([version, parse(head, { version })]).toEqual([version, expected]);
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'SKILL.md'), markdown);
      expect([text, await validate(join(folder, name))]).toEqual([text, []]);
      names.add(name);
    }
    expect([...names]).toEqual(expect.arrayContaining(['2024-01-01', '1e3', 'no', 'true', 'null', '12-30', '017']));
  });
});
