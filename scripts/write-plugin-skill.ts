import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HARD_RULES } from '../adapters/http/guide/skill-text.ts';

/** The skill of the plugin for coding agents. */
const PLUGIN_SKILL = join(import.meta.dirname, '../clients/plugin/skills/stancebook/SKILL.md');

/** The text below the heading, up to the next one. */
const SECTION = /(?<=^## Hard rules\n\n)[\s\S]*?(?=\n\n## )/m;

/**
 * A skill with the hard rules of /skill.md in its section of that name.
 * @throws Error when it has no such section, or when the section is its last
 */
export function withHardRules(skill: string): string {
  if (!SECTION.test(skill)) throw new Error('The skill has no section "Hard rules" with another section after it.');
  return skill.replace(SECTION, () => HARD_RULES);
}

if (import.meta.main) writeFileSync(PLUGIN_SKILL, withHardRules(readFileSync(PLUGIN_SKILL, 'utf8')));
