import { parseArgs } from 'node:util';
import { ConnectionFailedError, RefusedError, UsageError } from '../client/errors.ts';

const CONTROLS = /\p{Cc}|\p{Bidi_Control}/gu;

export const USAGE = `Usage: stancebook COMMAND [--url URL] [--allow-http]
  login [--email EMAIL] [--agent-name NAME] [--agent-id ID]
                        get an API key and store it: by the identity provider where there is one, else, or with
                        --email, by a password that is typed or is the first line of standard input
  submit FILE [--validate-only] [--idempotency-key KEY]
                        submit the decision of a JSON file; - is standard input
  watch ID... [--timeout SECONDS]
                        wait until the decisions are graded
  plan FILE [--wait]    state the question of a JSON file (query, sentence) before asking it; --wait for its receipt
  plans                 the questions that the agent stated, the newest first
  receipt ID [--outcome] [--opening full] [--wait]
                        the receipt of a submission, of its grade, or of a plan
  verify ...            verify receipts and logs; verify alone shows how
  export [--format jsonl|zip|csv|parquet] [--email EMAIL]
                        everything that the account owns, or its decisions as a table (csv, parquet); needs its
                        password, or STANCEBOOK_OWNER_TOKEN
  record-proof AGENT [--email EMAIL]
                        the file that proves the whole record of an agent to others: they run verify --record on it;
                        needs the account's password, or STANCEBOOK_OWNER_TOKEN
  mcp                   serve the Model Context Protocol on standard input and output
The address is --url, STANCEBOOK_URL or that of the login; the key is STANCEBOOK_API_KEY or that of the login.
Exit code 0: done. 1: the service refused, or cannot be reached. 2: the command is wrong.
`;

/** The options of all commands; each with the commands that have it, or `all`. */
const OPTIONS = {
  url: { type: 'string', of: 'all' },
  'allow-http': { type: 'boolean', of: 'all' },
  email: { type: 'string', of: 'login export record-proof' },
  'agent-name': { type: 'string', of: 'login' },
  'agent-id': { type: 'string', of: 'login' },
  'validate-only': { type: 'boolean', of: 'submit' },
  'idempotency-key': { type: 'string', of: 'submit' },
  timeout: { type: 'string', of: 'watch' },
  outcome: { type: 'boolean', of: 'receipt' },
  opening: { type: 'string', of: 'receipt' },
  wait: { type: 'boolean', of: 'plan receipt' },
  format: { type: 'string', of: 'export' },
} as const;

/** How many other arguments each command has. */
const COUNTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  login: [0, 0],
  submit: [1, 1],
  watch: [1, 100],
  plan: [1, 1],
  plans: [0, 0],
  receipt: [1, 1],
  export: [0, 0],
  'record-proof': [1, 1],
  mcp: [0, 0],
};

export interface Command {
  readonly name: string;
  readonly words: readonly string[];
  readonly options: Options;
}

/** By name; a flag that is set is true. */
export type Options = { readonly [Name in keyof typeof OPTIONS]?: OptionValue<(typeof OPTIONS)[Name]['type']> };
type OptionValue<Type> = Type extends 'string' ? string : boolean;

/** @throws UsageError for arguments that are no command */
export function commandOf([name = '', ...args]: readonly string[]): Command {
  const count = Object.hasOwn(COUNTS, name) ? COUNTS[name] : undefined;
  if (!count) throw new UsageError(name === '' ? 'There is no command.' : `There is no command ${name}.`);
  const own = Object.entries(OPTIONS).filter(([, { of }]) => of === 'all' || of.split(' ').includes(name));
  const { values, positionals } = parsed(args, Object.fromEntries(own));
  if (positionals.length < count[0]) throw new UsageError(`${name} needs an argument.`);
  if (positionals.length > count[1]) throw new UsageError(`${name} has too many arguments.`);
  return { name, words: positionals, options: values as Options };
}

function parsed(args: string[], options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function complain(line: string): void {
  process.stderr.write(`stancebook: ${line}\n`);
}

/** A text of the service on a terminal: control characters of it would move the cursor or hide what is there. */
export function shown(text: string): string {
  return text.replaceAll(CONTROLS, '\ufffd');
}

/** What is wrong and what to do, line by line. */
export function describeError(error: unknown): string {
  if (error instanceof ConnectionFailedError && error.idempotencyKey !== null) {
    return `${error.message}\n  Repeat it with --idempotency-key ${error.idempotencyKey}: it makes one record.`;
  }
  if (!(error instanceof RefusedError)) return shown(error instanceof Error ? error.message : String(error));
  const { code, message, suggestion, details, requestId } = error;
  const faults = details.map(({ path, message: fault }) => `${path}: ${fault}`);
  const request = requestId === null ? [] : [`request ${requestId}`];
  return [`${code}: ${message}`, ...faults, suggestion, ...request].filter(Boolean).map(shown).join('\n  ');
}
