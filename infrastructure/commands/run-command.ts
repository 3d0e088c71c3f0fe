import { printed } from '../../adapters/formats/unprinted.ts';
import { withNotices } from '../../application/mail/with-notices.ts';
import { settingsOf } from '../compose/compose-ports.ts';
import { readConfig } from '../config/config.ts';
import { requireDatabaseIn } from '../config/data-folder.ts';
import { withSecretFiles } from '../config/secret-files.ts';
import { createLogger } from '../logging/logger.ts';
import { type Command, type CommandContext, type ExitCode, type Output, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { overview, unknownCommand, usageOf } from './help.ts';
import { openForCommand } from './open-for-command.ts';

/** Where a command prints its output and its errors, and where it reads. */
export interface Terminal {
  print(line: string): void;
  complain(line: string): void;
  /** All of standard input; empty unless given. */
  input?(): Promise<string>;
}

/** Runs one command on the database that the environment names, or prints its help; never throws. */
export async function runCommand(
  args: readonly string[],
  given: NodeJS.ProcessEnv,
  output: Terminal,
): Promise<ExitCode> {
  const terminal = printing(output);
  const { name, help, json, rest } = parsed(args);
  if (name === undefined && help) return success(terminal, overview(COMMANDS));
  if (name === undefined) return wrongCall(terminal, overview(COMMANDS));
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return wrongCall(terminal, unknownCommand(name, COMMANDS));
  if (help) return success(terminal, usageOf(name, command));
  try {
    const env = withSecretFiles(given);
    if (json && command.json === undefined) throw new UsageError(`${name} prints no report, so it takes no --json.`);
    const shown = outputOf(terminal, json);
    if (command.opens === 'nothing') return await command.read(rest)({ env, ...shown });
    return await runOpened(command, rest, env, { input: async () => '', ...terminal, ...shown });
  } catch (error) {
    terminal.complain(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? wrongCall(terminal, usageOf(name, command)) : 1;
  }
}

/** Whatever somebody wrote into a stored text cannot move the cursor or turn the writing round; JSON stays the same. */
function printing({ print, complain, ...rest }: Terminal): Terminal {
  return { ...rest, print: (line) => print(printed(line)), complain: (line) => complain(printed(line)) };
}

interface ParsedCall {
  /** undefined: the call names no command. */
  readonly name: string | undefined;
  readonly help: boolean;
  readonly json: boolean;
  readonly rest: readonly string[];
}

/** `help`, `--help`, `-h` and `--json` mean the same to every command; words after `--` are the command's own. */
function parsed(args: readonly string[]): ParsedCall {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const options = args.slice(0, end);
  const help = options[0] === 'help' || options.some((word) => HELP.includes(word));
  const words = options.filter((word, index) => !HELP.includes(word) && word !== '--json' && !isHelp(word, index));
  const [name, ...rest] = words;
  return { name: name || undefined, help, json: options.includes('--json'), rest: [...rest, ...args.slice(end)] };
}

const HELP: readonly string[] = ['--help', '-h'];

function isHelp(word: string, index: number): boolean {
  return index === 0 && word === 'help';
}

function outputOf({ print }: Terminal, json: boolean): Output {
  if (json) return { print: () => undefined, report: (report) => print(JSON.stringify(report, null, 2)) };
  return { print, report: () => undefined };
}

async function runOpened(
  command: Command,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Omit<CommandContext, 'storage' | 'config'>,
): Promise<ExitCode> {
  const run = command.read(args);
  requireDatabaseIn(env);
  const config = readConfig(env);
  const log = createLogger({ level: 'silent', format: 'json' });
  const { storage, close } = await openForCommand(config, log, command.opens ?? 'storage');
  try {
    const noticing = config.mail ? withNotices(storage, settingsOf(config)) : storage;
    return await run({ storage: noticing, config, ...terminal });
  } finally {
    await close();
  }
}

function success({ print }: Terminal, text: string): ExitCode {
  print(text);
  return 0;
}

function wrongCall({ complain }: Terminal, text: string): ExitCode {
  complain(text);
  return 2;
}
