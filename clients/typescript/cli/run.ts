import { UsageError } from '../client/errors.ts';
import { runVerifier } from '../verify/program.ts';
import { receipt, submit, watch } from './decisions.ts';
import { exportAccount } from './export.ts';
import { logIn } from './login.ts';
import { serveMcp } from './mcp.ts';
import { complain, describeError } from './output.ts';
import { plan, plans } from './plans.ts';
import { type Command, commandOf, USAGE } from './usage.ts';

/** A command that returns nothing ends with 0. */
const RUN: Readonly<Record<string, (command: Command) => Promise<unknown>>> = {
  login: ({ options }) => logIn(options),
  submit,
  watch,
  plan,
  plans,
  receipt,
  export: ({ options }) => exportAccount(options),
  mcp: ({ options }) => serveMcp(options),
};

/** Runs a command. Returns its exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    if (args[0] === 'verify') return await runVerifier(args.slice(1));
    if (args.length === 0 || args.includes('--help')) {
      process.stdout.write(USAGE);
      return args.length === 0 ? 2 : 0;
    }
    const command = commandOf(args);
    const code = await RUN[command.name]?.(command);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    complain(describeError(error));
    if (error instanceof UsageError) complain('see stancebook --help');
    return error instanceof UsageError ? 2 : 1;
  }
}
