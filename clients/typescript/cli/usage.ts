import { parseArgs } from 'node:util';
import { ConnectionFailedError, RefusedError, UsageError } from '../client/errors.ts';
import { COMMON_OPTIONS, optionsIn, VERBS, type VerbName } from './verbs.ts';

const CONTROLS = /\p{Cc}|\p{Bidi_Control}/gu;

/** The options by their names; the usage of a verb names those that it has. */
const OPTIONS = {
  url: { type: 'string' },
  'allow-http': { type: 'boolean' },
  help: { type: 'boolean' },
  email: { type: 'string' },
  'agent-name': { type: 'string' },
  'agent-id': { type: 'string' },
  'validate-only': { type: 'boolean' },
  'idempotency-key': { type: 'string' },
  limit: { type: 'string' },
  after: { type: 'string' },
  follow: { type: 'boolean' },
  kind: { type: 'string' },
  timeout: { type: 'string' },
  direction: { type: 'string' },
  'horizon-kind': { type: 'string' },
  'horizon-value': { type: 'string' },
  'as-of': { type: 'string' },
  tokens: { type: 'string' },
  json: { type: 'boolean' },
  outcome: { type: 'boolean' },
  opening: { type: 'string' },
  wait: { type: 'boolean' },
  format: { type: 'string' },
  check: { type: 'boolean' },
  set: { type: 'string' },
  errors: { type: 'string' },
  horizon: { type: 'string' },
  market: { type: 'string' },
  symbol: { type: 'string' },
  venue: { type: 'string' },
  'asset-class': { type: 'string' },
  quote: { type: 'string' },
  zone: { type: 'string' },
  bar: { type: 'string' },
  strategy: { type: 'string' },
  date: { type: 'string' },
  member: { type: 'string' },
  map: { type: 'string', multiple: true },
} as const;

export interface Command {
  readonly name: VerbName;
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

/** @throws UsageError for arguments that are no command of this verb */
export function commandOf(name: VerbName, args: readonly string[]): Command {
  const { words, ...verb } = VERBS[name];
  const accepted: readonly string[] = [...optionsIn(verb), ...COMMON_OPTIONS];
  const own = Object.entries(OPTIONS).filter(([option]) => accepted.includes(option));
  const { values, positionals } = parsed(args, Object.fromEntries(own));
  if (positionals.length < words[0]) throw new UsageError(`${name} needs an argument.`);
  if (positionals.length > words[1]) throw new UsageError(`${name} has too many arguments.`);
  return { name, words: positionals, options: values as Options };
}

function parsed(
  args: readonly string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>>,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
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

/** The whole number of an option, 1 or more. @throws UsageError */
export function countOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} needs a whole number from 1 on.`);
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
