import { parseArgs } from 'node:util';
import { SUBMIT } from '../../../domain/limits.ts';
import { ConnectionFailedError, RefusedError, UsageError } from '../client/errors.ts';

const CONTROLS = /\p{Cc}|\p{Bidi_Control}/gu;

export const USAGE = `Usage: stancebook COMMAND [--url URL] [--allow-http]
  login [--email EMAIL] [--agent-name NAME] [--agent-id ID]
                        get an API key and store it: by the identity provider where there is one, else, or with
                        --email, by a password that is typed or is the first line of standard input; a second
                        factor of the account is asked for, or is the second line
  submit FILE [--validate-only] [--idempotency-key KEY]
                        submit the decision of a JSON file, or one with several horizons (horizons: [...]); - is
                        standard input
  digest FILE... [--kind prompt|data|tool|model|code]
                        the inputs of a decision: the name and the SHA-256 of each file, as JSON; the kind is data
  import FILE --check|--set NAME [--wait] [--timeout SECONDS] [--errors FILE] [--horizon 5d] [--venue V]
         [--quote Q] [--market M] [--asset-class A] [--symbol S] [--zone Z] [--bar 1d] [--strategy S] [--date D]
         [--map MEMBER=COLUMN]... [--format F] [--member M]
                        send what another program decided in the past (freqtrade, LEAN, backtesting.py, CSV ...) to
                        a set of back-tests, or --check what would be sent; --wait until it is graded. Refused rows
                        are in FILE.refused.jsonl; the same command again goes on. docs/imports.md has each format
  watch ID... [--timeout SECONDS]
                        wait until the decisions are graded
  recall MARKET SYMBOL [--direction D] [--horizon-kind KIND --horizon-value N] [--as-of TIME] [--set NAME]
         [--tokens N] [--json]
                        what the agent had decided on a security, or the rows of a set of back-tests, as text for a
                        prompt, or the whole reply
  note ID TEXT [--set NAME --as-of TIME]
                        write down what the outcome of an own decision taught, or of a row of a set of back-tests, as
                        of its time; - is standard input
  plan FILE [--wait]    state the question of a JSON file (query, sentence) before asking it; --wait for its receipt
  plans                 the questions that the agent stated, the newest first
  backtest SET [FILE] [--wait]
                        the counts of a back-test; FILE (about, rows) is sent first; --wait until it is graded
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
  kind: { type: 'string', of: 'digest' },
  timeout: { type: 'string', of: 'watch import' },
  direction: { type: 'string', of: 'recall' },
  'horizon-kind': { type: 'string', of: 'recall' },
  'horizon-value': { type: 'string', of: 'recall' },
  'as-of': { type: 'string', of: 'recall note' },
  tokens: { type: 'string', of: 'recall' },
  json: { type: 'boolean', of: 'recall' },
  outcome: { type: 'boolean', of: 'receipt' },
  opening: { type: 'string', of: 'receipt' },
  wait: { type: 'boolean', of: 'plan receipt import backtest' },
  format: { type: 'string', of: 'export import' },
  check: { type: 'boolean', of: 'import' },
  set: { type: 'string', of: 'import recall note' },
  errors: { type: 'string', of: 'import' },
  horizon: { type: 'string', of: 'import' },
  market: { type: 'string', of: 'import' },
  symbol: { type: 'string', of: 'import' },
  venue: { type: 'string', of: 'import' },
  'asset-class': { type: 'string', of: 'import' },
  quote: { type: 'string', of: 'import' },
  zone: { type: 'string', of: 'import' },
  bar: { type: 'string', of: 'import' },
  strategy: { type: 'string', of: 'import' },
  date: { type: 'string', of: 'import' },
  member: { type: 'string', of: 'import' },
  map: { type: 'string', multiple: true, of: 'import' },
} as const;

/** How many other arguments each command has. */
const COUNTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  login: [0, 0],
  submit: [1, 1],
  digest: [1, SUBMIT.inputs],
  import: [1, 1],
  watch: [1, 100],
  recall: [2, 2],
  note: [2, 2],
  plan: [1, 1],
  plans: [0, 0],
  backtest: [1, 2],
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
export type Options = { readonly [Name in keyof typeof OPTIONS]?: OptionValue<(typeof OPTIONS)[Name]> };
type OptionValue<Option> = Option extends { readonly multiple: true }
  ? readonly string[]
  : Option extends { readonly type: 'string' }
    ? string
    : boolean;

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

function parsed(
  args: string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>>,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The seconds of --timeout. @throws UsageError */
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new UsageError('--timeout needs seconds.');
  return Number(text);
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
