import { expect, test } from '@jest/globals';
import { skillMarkdown } from '../../../adapters/formats/skill-markdown.ts';
import { printed, writeYaml } from '../../../adapters/formats/workflow-yaml.ts';
import { runCommand } from '../../../infrastructure/commands/run-command.ts';

const EVIL = 'Plain\n# Heading \u202egnihton\u2069 \u001b[2J\u009b1m\u200f\u061c\u2028# more';
const BAD = /[[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]--[\n\t]]/v;

test('a text is printed with escapes in place of what moves the cursor or turns the writing round', () => {
  expect(printed('a\u001b[2J\u202eb\tc\n\u009b')).toBe('a\\u001b[2J\\u202eb\tc\n\\u009b');
  expect(JSON.parse(printed(JSON.stringify({ EVIL })))).toEqual({ EVIL });
});

test('a skill and a YAML file of an older workflow contain none of it, and the text cannot begin a line of its own', () => {
  const content = { name: EVIL, description: EVIL, tags: [EVIL], nodes: [], edges: [] } as never;
  const submit = { method: 'POST', path: '/api/v1/agent/decisions' } as never;
  const skill = skillMarkdown({ name: 'plain', content, workflow_ref: `wf:${'0'.repeat(64)}`, submit });
  expect(skill).not.toMatch(BAD);
  expect(skill.match(/^# /gm)).toHaveLength(1);
  const yaml = writeYaml({ schema_version: 'v1', kind: 'stancebook.workflow', ...(content as object) } as never);
  expect(yaml).not.toMatch(BAD);
});

test('what a command prints contains none of it', async () => {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  await runCommand([EVIL], {}, { print: keep, complain: keep });
  expect(lines.join('\n')).not.toMatch(BAD);
  expect(lines.join('\n')).toContain('\\u202egnihton');
});
