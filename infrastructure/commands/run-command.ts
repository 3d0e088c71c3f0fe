import { printed } from '../../adapters/formats/workflow-yaml.ts';
import { nearest } from '../../adapters/http/kit/input/input-messages.ts';
import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { withNotices } from '../../application/mail/queue-mail.ts';
import { settingsOf } from '../compose/compose-ports.ts';
import { openStorage } from '../compose/open-storage.ts';
import { type Config, readConfig } from '../config/config.ts';
import { withSecretFiles } from '../config/secret-files.ts';
import { requireDatabaseIn } from '../config/secret-inventory.ts';
import { connectDatabase, type DatabaseName } from '../database/connect-database.ts';
import { startDatabase } from '../database/database.ts';
import { requireSchemaOwner, requireUsable } from '../database/database-check.ts';
import { requireNoted } from '../database/secret-fingerprints.ts';
import { joinInstance } from '../embedded-postgres/join-instance.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import { ACCOUNT_COMMANDS } from './accounts.ts';
import { AUDIT_COMMANDS } from './audit.ts';
import { BACKUP_COMMANDS } from './backup.ts';
import { BAR_COMMANDS } from './bars.ts';
import { CIRCUIT_COMMANDS } from './circuits.ts';
import {
  type Command,
  type CommandContext,
  type CommandHelp,
  type ExitCode,
  type OfflineCommand,
  type Output,
  UsageError,
} from './command.ts';
import { DOCTOR_COMMANDS } from './doctor.ts';
import { EVIDENCE_COMMANDS } from './evidence.ts';
import { BAR_STORE_COMMANDS } from './import-bars.ts';
import { SECRET_COMMANDS } from './secrets.ts';
import { SECURITY_COMMANDS } from './securities.ts';
import { SOURCE_COMMANDS } from './sources.ts';
import { STATUS_COMMANDS } from './status.ts';

const ALL: readonly (Command | OfflineCommand)[] = [
  ...[...ACCOUNT_COMMANDS, ...AUDIT_COMMANDS, ...BACKUP_COMMANDS, ...BAR_COMMANDS, ...BAR_STORE_COMMANDS],
  ...[...CIRCUIT_COMMANDS, ...DOCTOR_COMMANDS, ...EVIDENCE_COMMANDS, ...SECRET_COMMANDS, ...SECURITY_COMMANDS],
  ...[...SOURCE_COMMANDS, ...STATUS_COMMANDS],
];

/** Every command by its name, in their order. */
export const COMMANDS: Readonly<Record<string, Command | OfflineCommand>> = Object.fromEntries(
  ALL.map((each) => [each.name, each] as const).sort(([one], [other]) => (one < other ? -1 : 1)),
);

/** Where a command prints its output and its errors, and where it reads. */
interface Terminal {
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
  if (help) return success(terminal, usageOf(command));
  try {
    const env = withSecretFiles(given);
    if (json && command.json === undefined) throw new UsageError(`${name} prints no report, so it takes no --json.`);
    const shown = outputOf(terminal, json);
    if (command.opens === 'nothing') return await command.read(rest)({ env, ...shown });
    return await runOpened(command, rest, env, { input: async () => '', ...terminal, ...shown });
  } catch (error) {
    terminal.complain(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? wrongCall(terminal, usageOf(command)) : 1;
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

interface OpenedForCommand {
  readonly storage: PostgresStorage;
  close(): Promise<void>;
}

/**
 * The storage that a command works on: DATABASE_URL, as the owner of the schema MIGRATION_DATABASE_URL, else the embedded
 * database of the service that runs on the data folder. Where none runs, that database is started for as long as the
 * command takes.
 * @throws StartRefused where the role is not the owner of the schema and the command needs it
 */
async function openForCommand(
  config: Config,
  log: Logger,
  opens: NonNullable<Command['opens']>,
): Promise<OpenedForCommand> {
  const asOwner = opens === 'storage as owner';
  const { url, migrationUrl } = config.database;
  if (url !== null) {
    if (!asOwner) return openRunning(url, 'DATABASE_URL', config, log);
    return openAsOwner(
      migrationUrl ?? url,
      migrationUrl === url ? 'DATABASE_URL' : 'MIGRATION_DATABASE_URL',
      config,
      log,
    );
  }
  const joined = await joinInstance(config.dataDir, () => startDatabase(config, log));
  if ('running' in joined) {
    const { url: ownerUrl, serviceUrl } = joined.running;
    return openRunning(asOwner ? ownerUrl : serviceUrl, 'embedded', config, log);
  }
  const { started } = joined;
  try {
    const storage = await openStorage(asOwner ? started.ownerUrl : started.url, config, log);
    return { storage, close: () => storage.close().finally(() => started.stop()) };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** The URL of the owner goes past a pooler in transaction mode, whose server has the settings for the other role. */
async function openAsOwner(url: string, name: DatabaseName, config: Config, log: Logger): Promise<OpenedForCommand> {
  return openRunning(
    url,
    name,
    { ...config, database: { ...config.database, pooled: false } },
    log,
    requireSchemaOwner,
  );
}

/** @param first what is required of the connection before all else */
async function openRunning(
  url: string,
  name: DatabaseName,
  config: Config,
  log: Logger,
  first: typeof requireSchemaOwner = async () => undefined,
): Promise<OpenedForCommand> {
  const client = await connectDatabase(url, name);
  try {
    await first(client, name);
    await requireUsable(client, { external: false });
    await requireNoted(client, config);
  } finally {
    await client.end();
  }
  const storage = await openStorage(url, config, log);
  return { storage, close: () => storage.close() };
}

type Commands = Readonly<Record<string, CommandHelp>>;

/** All commands, each with its usage and a summary. */
function overview(commands: Commands): string {
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
function usageOf({ name, usage, summary, json }: CommandHelp): string {
  const line = callOf(name, json === undefined ? usage : `${usage} [--json]`);
  const shape = json === undefined ? [] : [`      --json prints ${json}`];
  return ['Usage:', line, `      ${summary}`, ...shape].join('\n');
}

function callOf(name: string, usage: string): string {
  return `  npm run admin -- ${name} ${usage.trim()}`.trimEnd();
}

/** All commands, and then, where it is read, that none has this name. */
function unknownCommand(name: string, commands: Commands): string {
  const suggestion = nearest(name, Object.keys(commands));
  const advice = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return `${overview(commands)}\n\nThere is no command ${name}.${advice}`;
}
