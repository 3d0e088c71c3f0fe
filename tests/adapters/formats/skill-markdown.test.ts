import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseFrontmatter, validate } from 'skills-ref';
import { parse } from 'yaml';
import { ODD_NAMES } from '../../builders/odd-names.ts';
import { makeThrowawayFolder } from '../../harness/throwaway-folder.ts';
import { oddSkill } from '../../harness/yaml-texts.ts';

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
      const { name, markdown } = oddSkill(text);
      const metadata = { workflow_ref: `wf:${'0'.repeat(64)}`, schema_version: 'v1' };
      const expected = { name, description: text, metadata };
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
