import { nearest } from '../../adapters/http/kit/input/nearest.ts';
import { ACCOUNT_COMMANDS } from './accounts.ts';
import { AUDIT_COMMANDS } from './audit.ts';
import { BACKUP_COMMANDS } from './backup.ts';
import { BAR_COMMANDS } from './bars.ts';
import { CIRCUIT_COMMANDS } from './circuits.ts';
import type { Command, CommandHelp, OfflineCommand } from './command.ts';
import { DOCTOR_COMMANDS } from './doctor.ts';
import { EVIDENCE_COMMANDS } from './evidence.ts';
import { BAR_STORE_COMMANDS } from './import-bars.ts';
import { SECRET_COMMANDS } from './secrets.ts';
import { SOURCE_COMMANDS } from './sources.ts';
import { STATUS_COMMANDS } from './status.ts';

const ALL: readonly (Command | OfflineCommand)[] = [
  ...[...ACCOUNT_COMMANDS, ...AUDIT_COMMANDS, ...BACKUP_COMMANDS, ...BAR_COMMANDS, ...BAR_STORE_COMMANDS],
  ...[...CIRCUIT_COMMANDS, ...DOCTOR_COMMANDS, ...EVIDENCE_COMMANDS, ...SECRET_COMMANDS, ...SOURCE_COMMANDS],
  ...STATUS_COMMANDS,
];

/** Every command by its name, in their order. */
export const COMMANDS: Readonly<Record<string, Command | OfflineCommand>> = Object.fromEntries(
  ALL.map((each) => [each.name, each] as const).sort(([one], [other]) => (one < other ? -1 : 1)),
);

type Commands = Readonly<Record<string, CommandHelp>>;

/** All commands, each with its usage and a summary. */
export function overview(commands: Commands): string {
  return [
    'Usage:',
    '  npm run admin -- COMMAND ...',
    '  npm run admin -- help COMMAND',
    '',
    'Commands:',
    ...Object.values(commands).map(({ name, usage, summary }) => `${callOf(name, usage)}\n      ${summary}`),
    '',
    'Exit codes: 0 success, 1 the command failed or found a fault, 2 the call was wrong.',
    'Reports take --json; npm run --silent admin -- COMMAND --json prints nothing else. See docs/command-line.md.',
  ].join('\n');
}

/** The usage of one command. */
export function usageOf({ name, usage, summary, json }: CommandHelp): string {
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
