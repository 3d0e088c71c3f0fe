import { readConfig } from '../config/config.ts';
import { createLogger } from '../logging/logger.ts';
import { type Command, type ExitCode, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { openForCommand } from './open-for-command.ts';

/** Where a command writes lines, what was asked for and what went wrong, and where it reads. */
export interface Terminal {
  print(line: string): void;
  complain(line: string): void;
  /** All of standard input; nothing unless given. */
  input?(): Promise<string>;
}

/** Runs one command of the command line against the database that the environment names; never throws. */
export async function runCommand(
  [name = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  { print, complain, input = async () => '' }: Terminal,
): Promise<ExitCode> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    complain(usageOfAll(name));
    return 2;
  }
  try {
    const run = command.read(args);
    const config = readConfig(env);
    const { storage, close } = await openForCommand(config, createLogger({ level: 'silent', format: 'json' }));
    try {
      return await run({ storage, config, print, input });
    } finally {
      await close();
    }
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    if (!(error instanceof UsageError)) return 1;
    complain(usageOf(name, command));
    return 2;
  }
}

function usageOfAll(name: string): string {
  const fault = name === '' ? [] : [`There is no command ${name}.`];
  const lines = Object.entries(COMMANDS).map((entry) => usageOf(...entry));
  return [...fault, 'Usage:', ...lines].join('\n');
}

function usageOf(name: string, { usage, summary }: Command): string {
  return `  npm run admin -- ${name} ${usage}\n      ${summary}`;
}
