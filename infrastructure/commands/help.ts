import { nearest } from '../../adapters/http/kit/input/nearest.ts';
import type { CommandHelp } from './command.ts';

type Commands = Readonly<Record<string, CommandHelp>>;

/** All commands, each with its usage and a summary. */
export function overview(commands: Commands): string {
  return [
    'Usage:',
    '  npm run admin -- COMMAND ...',
    '  npm run admin -- help COMMAND',
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, { usage, summary }]) => `${callOf(name, usage)}\n      ${summary}`),
    '',
    'Exit codes: 0 success, 1 the command failed or found a fault, 2 the call was wrong.',
    'Reports take --json; npm run --silent admin -- COMMAND --json prints nothing else. See docs/command-line.md.',
  ].join('\n');
}

/** The usage of one command. */
export function usageOf(name: string, { usage, summary, json }: Commands[string]): string {
  const line = callOf(name, json === undefined ? usage : `${usage} [--json]`);
  const shape = json === undefined ? [] : [`      --json prints ${json}`];
  return ['Usage:', line, `      ${summary}`, ...shape].join('\n');
}

function callOf(name: string, usage: string): string {
  return `  npm run admin -- ${name} ${usage.trim()}`.trimEnd();
}

/** All commands, and then, where it is read, that none has this name. */
export function unknownCommand(name: string, commands: Commands): string {
  const suggestion = nearest(name, Object.keys(commands));
  const advice = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return `${overview(commands)}\n\nThere is no command ${name}.${advice}`;
}
