import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import type { Config } from '../config/config.ts';

/** 0: done, and all is well. 1: done, but what was found is not well, or it failed. 2: called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** What an operator can ask for on the command line: `npm run admin -- NAME ...`. */
export interface Command {
  /** The arguments, such as `RECORD_ID | --all`. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /**
   * Reads the arguments before anything is opened; what it returns does the work.
   * @throws UsageError
   */
  read(args: readonly string[]): (context: CommandContext) => Promise<ExitCode>;
}

export interface CommandContext {
  /** As the service: a command can do what the service may. */
  readonly storage: PostgresStorage;
  readonly config: Config;
  print(line: string): void;
  /** All of standard input, as text. */
  input(): Promise<string>;
}

/** The command was called wrongly; its usage is shown. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
