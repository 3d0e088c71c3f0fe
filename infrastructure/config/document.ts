import { SECRET_NAMES } from './secret-files.ts';
import type { Variable } from './variable.ts';
import { SECTIONS } from './variables.ts';

/** docs/configuration.md, generated from the table by which the service reads its variables. */
export function configurationDocument(): string {
  const sections = Object.entries(SECTIONS).map(
    ([title, variables]) => `## ${title}\n\n${table(Object.entries(variables))}`,
  );
  return `${HEAD}\n${sections.join('\n\n')}\n`;
}

const HEAD = `# Configuration

Environment variables configure the service. It checks them at start and reports all faults at once. An empty variable
counts as absent. A variable with one of the service's prefixes that is not listed here is a fault.

Each secret can be in a file instead, which a variable with \`_FILE\` at its end names ([secrets.md](secrets.md)):
${SECRET_NAMES.map((name) => `\`${name}_FILE\``)
  .join(', ')
  .replace(/(.{60,110}?,) /g, '$1\n')}.

(This page is written by \`node scripts/write-configuration.ts\`.)
`;

function table(variables: readonly (readonly [string, Variable<unknown>])[]): string {
  const rows = variables.map(
    ([name, variable]) => `| \`${name}\` | ${defaultOf(variable)} | ${variable.about} | ${expectedOf(variable)} |`,
  );
  return ['| Variable | Default | Meaning | Value |', '|---|---|---|---|', ...rows].join('\n');
}

/** What a refusal asks for, in few words: most values are whole numbers. */
function expectedOf({ shape }: Variable<unknown>): string {
  return shape.expects
    .replace('a whole number in digits, ', '')
    .replace(/(?<=address) as `https:\/\/mirror\S*, without query or credentials/, '')
    .replace(/^(?:one of|an? |the )\s*/, '');
}

function defaultOf({ fallback, absent }: Variable<unknown>): string {
  return fallback === undefined ? `${absent}` : `\`${fallback}\``;
}
