import { type ParseArgsConfig, parseArgs } from 'node:util';
import { packagedCoins } from '../../adapters/market/symbols/current-symbols.ts';
import type { PostgresStorage } from '../../adapters/postgres/storage.ts';
import { withNamed } from '../../domain/decisions/submission/admit-submission.ts';
import { OWNER_ID, RECORD_ID } from '../../domain/identifiers.ts';
import {
  type Instrument,
  type InstrumentAsSent,
  namedInstrument,
  normaliseInstrument,
  orAsStored,
} from '../../domain/market/instrument.ts';
import type { NameBook } from '../../domain/market/name-book.ts';
import type { KnownCoins } from '../../domain/market/symbol.ts';
import { TABLE_VENUES } from '../../domain/market/venues.ts';
import { DAY, type Millis } from '../../domain/time.ts';
import type { Config } from '../config/config.ts';

/** 0: success. 1: the command failed, or what it checked has a fault. 2: the call was wrong, and nothing was done. */
export type ExitCode = 0 | 1 | 2;

/** What the help prints about a command. */
export interface CommandHelp {
  readonly name: string;
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

/** One argument of a command, and how its text is read. */
interface Parameter<T> {
  /** A word by its place, all words that remain, an option with a value, or one without. */
  readonly as: 'word' | 'rest' | 'option' | 'flag';
  /** How the usage shows it, or the value of the option. */
  readonly label: string;
  readonly optional: boolean;
  /** What to send instead of a call that lacks the word or has more words. */
  readonly missing?: string;
  /** @throws UsageError */
  read(sent: string | undefined, option: string): T;
}

type Takes = Readonly<Record<string, Parameter<unknown>>>;
type Values<T extends Takes> = { readonly [Name in keyof T]: T[Name] extends Parameter<infer V> ? V : never };

/** Reads the text of an argument. @throws UsageError */
type Reader<T> = (text: string, option: string) => T;

/** What a command shows at its end. */
export interface Shown {
  readonly text: string | readonly string[];
  readonly report?: object;
  /** Exit code 1. */
  readonly failed?: boolean;
}

/** A command as a row of a table: what it takes, and what it does with the values. */
interface CommandRow<T extends Takes, Context> extends Omit<CommandHelp, 'usage'> {
  /** Where it says more than what the command takes. */
  readonly usage?: string;
  /** By name, in the order in which they are shown and read; without it the command refuses every argument. */
  readonly takes?: T;
  /** The refusal of words that are too many, where the last word does not say it. */
  readonly excess?: string;
  /** For values that exclude each other. @throws UsageError */
  check?(values: Values<T>): void;
  /** A text alone is printed, with exit code 0. */
  run(values: Values<T>, context: Context): Promise<ExitCode | string | Shown>;
}

/** A command that works on the database. */
export function command<T extends Takes>(row: CommandRow<T, CommandContext> & Pick<Command, 'opens'>): Command {
  const { opens = 'storage' } = row;
  return { ...helpOf(row), opens, read: (args) => runOf(row, args) };
}

/** A command that opens what it needs by itself. */
export function offline<T extends Takes>(row: CommandRow<T, OfflineContext>): OfflineCommand {
  return { ...helpOf(row), opens: 'nothing', read: (args) => runOf(row, args) };
}

function helpOf<T extends Takes, C>({ name, summary, json, takes, usage }: CommandRow<T, C>): CommandHelp {
  const derived = Object.entries<Parameter<unknown>>(takes ?? {}).map(([option, { as, label, optional }]) => {
    const text = as === 'flag' ? `--${option}` : as === 'option' ? `--${option} ${label}` : label;
    return optional ? `[${text}]` : text;
  });
  return { name, summary, usage: usage ?? derived.join(' '), ...(json === undefined ? {} : { json }) };
}

function runOf<T extends Takes, C extends Output>(row: CommandRow<T, C>, args: readonly string[]) {
  const values = valuesIn(row, args);
  row.check?.(values);
  return async (context: C): Promise<ExitCode> => {
    const result = await row.run(values, context);
    if (typeof result === 'number') return result;
    const { text, report, failed = false }: Shown = typeof result === 'string' ? { text: result } : result;
    for (const line of [text].flat()) context.print(line);
    if (report) context.report({ ...report });
    return failed ? 1 : 0;
  };
}

/** @throws UsageError */
function valuesIn<T extends Takes>({ takes, excess }: CommandRow<T, never>, args: readonly string[]): Values<T> {
  const entries = Object.entries<Parameter<unknown>>(takes ?? {});
  if (takes === undefined && args.length > 0) throw new UsageError(excess ?? 'This command takes no arguments.');
  const options = entries.filter(([, { as }]) => as === 'option' || as === 'flag');
  const types = options.map(([name, { as }]) => [name, { type: as === 'flag' ? 'boolean' : 'string' }] as const);
  const { positionals, values } = argumentsIn(args, Object.fromEntries(types));
  const words = entries.filter((entry) => !options.includes(entry));
  const last = words.at(-1)?.[1];
  if (positionals.length > words.length && last?.as !== 'rest')
    throw new UsageError(excess ?? last?.missing ?? 'This command takes options only.');
  const sent = new Map<string, string | undefined>(
    words.map(([name, { as }], at) => [name, as === 'rest' ? positionals.slice(at).join(' ').trim() : positionals[at]]),
  );
  const read = entries.map(([name, parameter]) => {
    const given = sent.has(name) ? sent.get(name) : values[name]?.toString();
    return [name, parameter.read(given, `--${name}`)];
  });
  return Object.fromEntries(read);
}

export function word<T>(label: string, missing: string, read: Reader<T>): Parameter<T> {
  const needed = (sent: string | undefined) => {
    if (sent === undefined) throw new UsageError(missing);
    return read(sent, label);
  };
  return { as: 'word', label, optional: false, missing, read: needed };
}

/** The words that remain, as one text; empty where there is none. */
export function rest(label: string, optional: boolean, read: Reader<string>): Parameter<string> {
  return { as: 'rest', label, optional, read: (sent = '') => read(sent, label) };
}

export function option<T>(label: string, read: Reader<T>): Parameter<T | undefined> {
  return { as: 'option', label, optional: true, read: (sent, name) => (sent === undefined ? sent : read(sent, name)) };
}

/** An option that has a value even where the call does not send it. */
export function defaulted<T>(label: string, unless: string, read: Reader<T>): Parameter<T> {
  return { as: 'option', label, optional: true, read: (sent = unless, name) => read(sent, name) };
}

/** An option that the call must send. */
export function required<T>(label: string, read: (sent: string | undefined, option: string) => T): Parameter<T> {
  return { as: 'option', label, optional: false, read };
}

export const FLAG: Parameter<boolean> = { as: 'flag', label: '', optional: true, read: (sent) => sent !== undefined };

/** Takes a text as it is. */
export const asSent: Reader<string> = (text) => text;

/** The words and options of a command line. @throws UsageError for an option that is unknown or lacks its value */
export function argumentsIn<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS')) throw new UsageError(message);
    throw error;
  }
}

/** `market:symbol:venue:asset_class:quote` of a supported instrument, in any spelling. @throws UsageError naming all faults */
export function instrumentIn(text: string): Instrument {
  const sent = identityIn(text);
  return withoutFaults(orAsStored((coins) => normaliseInstrument(sent, TABLE_VENUES, coins), COINS));
}

/** The same, whether the instrument is supported or not. @throws UsageError naming all faults */
export function namedInstrumentIn(text: string): Instrument {
  const sent = identityIn(text);
  return withoutFaults(orAsStored((coins) => namedInstrument(sent, coins), COINS));
}

/** The same with the coins that statements name: their quote is cut off, too, as that of a submission is. */
export function spelledByNames(instrument: Instrument, names: NameBook): Instrument {
  return withoutFaults(orAsStored((coins) => namedInstrument(instrument, coins), withNamed(COINS, names)));
}

const COINS: KnownCoins = { knowsCoin: (symbol) => packagedCoins().has(symbol) };

function identityIn(text: string): InstrumentAsSent {
  const [market, symbol, venue, asset_class, quote_currency, ...more] = text.split(':');
  if (!market || !symbol || !venue || !asset_class || !quote_currency || more.length > 0) {
    throw new UsageError(`${text} names no instrument; they look like stock:MSFT:NASDAQ:spot:USD.`);
  }
  return { market, symbol, venue, asset_class, quote_currency };
}

function withoutFaults(instrument: ReturnType<typeof namedInstrument>): Instrument {
  if (!Array.isArray(instrument)) return instrument;
  throw new UsageError(instrument.map(({ message }) => `${message}.`).join('\n'));
}

/** One of a few words. */
export function oneOf<T extends string>(words: readonly T[], name?: string): Reader<T> {
  return (sent, option) => {
    const found = words.find((each) => each === sent);
    if (found === undefined) throw new UsageError(`${name ?? option} ${sent}: send ${words.join(', ')}.`);
    return found;
  };
}

/** A UTC date, or an RFC 3339 time; `--to` with a date means the end of that day. @throws UsageError */
export function timeIn(text: string, option: string): Millis {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isDate || isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new UsageError(
      `${option} ${text} is not a time: send a UTC date such as 2026-01-30, or 2026-01-30T14:30:00Z.`,
    );
  return option === '--to' && isDate ? at + DAY : at;
}

export function dateIn(text: string, option: string): Date {
  return new Date(timeIn(text, option));
}

/** An owner_id, or an email. @throws UsageError */
export function ownerIn(named: string): string {
  if (named.includes('@') || OWNER_ID.test(named.toLowerCase())) return named;
  throw new UsageError(`${named} is neither an owner_id nor an email; list-owners shows them.`);
}

export const OWNER = word('OWNER', 'Name one owner.', ownerIn);

const RECORD_SHAPE = 'is no record id; they look like dec_20260302_5c0ffee5.';

/** @throws UsageError */
export function recordIn(named: string): string {
  if (RECORD_ID.test(named)) return named;
  throw new UsageError(`${named} ${RECORD_SHAPE}`);
}

export const RECORD = word('RECORD_ID', `Nothing ${RECORD_SHAPE}`, recordIn);

export const IDENTITY = word('IDENTITY', 'Name one instrument.', instrumentIn);

/** The value of `--limit`: how many rows a command lists. @throws UsageError */
export function limitIn(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= HIGHEST_LIMIT) return limit;
  throw new UsageError(`--limit ${text}: send a number from 1 to ${HIGHEST_LIMIT}.`);
}

const HIGHEST_LIMIT = 10_000;
