import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import type { Config } from '../config/config.ts';

/** 0: success. 1: the command failed, or what it checked has a fault. 2: the call was wrong, and nothing was done. */
export type ExitCode = 0 | 1 | 2;

/** What the help prints about a command. */
export interface CommandHelp {
  /** The arguments, such as `RECORD_ID | --all`. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** The members of the JSON object that `--json` prints; without it the command has no `--json`. */
  readonly json?: string;
}

/** A command of operators: `npm run admin -- NAME ...`. */
export interface Command extends CommandHelp {
  /**
   * `storage`, unless given: as the role of the service. `storage as owner`: as the owner of the schema, for what the
   * service's role may not change.
   */
  readonly opens?: 'storage' | 'storage as owner';
  /**
   * Checks the arguments before anything is opened; the function that it returns does the work.
   * @throws UsageError
   */
  read(args: readonly string[]): (context: CommandContext) => Promise<ExitCode>;
}

/** A command that reads the environment itself, and runs without a database. */
export interface OfflineCommand extends CommandHelp {
  readonly opens: 'nothing';
  /** @throws UsageError */
  read(args: readonly string[]): (context: OfflineContext) => Promise<ExitCode>;
}

export interface Output {
  /** Prints text for people; with `--json` it prints nothing. */
  print(line: string): void;
  /** Prints the report as one JSON object, once in a run; without `--json` it prints nothing. */
  report(report: Readonly<Record<string, unknown>>): void;
}

export interface OfflineContext extends Output {
  readonly env: NodeJS.ProcessEnv;
}

export interface CommandContext extends Output {
  /** Has the rights of the role that the command opens it as. */
  readonly storage: PostgresStorage;
  readonly config: Config;
  /** All of standard input, as text. */
  input(): Promise<string>;
}

/** The call was wrong; the caller prints the usage of the command. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
