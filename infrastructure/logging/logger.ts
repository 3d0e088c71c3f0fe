import type { Writable } from 'node:stream';
import winston from 'winston';

const FIELDS: ReadonlySet<string> = new Set([
  ...['request_id', 'method', 'route', 'endpoint', 'status', 'duration_ms', 'code'],
  ...['owner_id', 'agent_id', 'record_id', 'job', 'job_id', 'queue', 'requests', 'count', 'attempt'],
  ...[
    'instrument',
    'source',
    'coin',
    'state',
    'cause',
    'snapshot_id',
    'host',
    'port',
    'pid',
    'role',
    'signal',
    'version',
    'schema',
    'witness',
    'reason',
    'free_bytes',
    'least_bytes',
    'kind',
    'result',
    'network',
    'client',
  ],
]);

const LONGEST = 200;

const FRAMES = 12;

const FRAME = /^ {4}at .*(:\d+:\d+|<anonymous>|native)\)?$/;

const CAUSES = 3;

const ERRORS = 20;

const LOG_LEVELS = ['error', 'warn', 'info', 'http', 'debug'] as const;
export type LogMethod = (typeof LOG_LEVELS)[number];

type Log = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A message is a fixed text: variable parts are fields, and only listed fields are written (`loggable`). */
export type Logger = Readonly<Record<LogMethod, Log>>;

export interface LoggerOptions {
  readonly level: LogMethod | 'silent';
  readonly format: 'json' | 'pretty';
  readonly stream?: Writable;
  /** Where lines go as well, as winston's objects. */
  readonly further?: readonly Writable[];
}

/** Writes a line per event to the stream (default standard output). A level that is off costs one empty call. */
export function createLogger({ level, format, stream = process.stdout, further = [] }: LoggerOptions): Logger {
  const sink = winston.createLogger({
    level: level === 'silent' ? 'error' : level,
    silent: level === 'silent',
    levels: Object.fromEntries(LOG_LEVELS.map((name, rank) => [name, rank])),
    format: format === 'json' ? JSON_LINE : PRETTY_LINE,
    transports: [stream, ...further].map((each) => new winston.transports.Stream({ stream: each })),
  });
  const loud = level === 'silent' ? 0 : LOG_LEVELS.indexOf(level) + 1;
  const at = (name: LogMethod): Log =>
    LOG_LEVELS.indexOf(name) < loud
      ? (message, fields = {}) =>
          sink.log({ ...loggable(fields), level: name, message, time: new Date().toISOString() })
      : () => undefined;
  return { error: at('error'), warn: at('warn'), info: at('info'), http: at('http'), debug: at('debug') };
}

/** An answered request. */
export type AnsweredRequest = {
  readonly request_id: string;
  readonly method: string;
  /** The route pattern of the endpoint, never the path that was sent. */
  readonly route: string | null;
  readonly status: number;
  readonly duration_ms: number;
  readonly code?: string;
};

/** One line per request at level `http`; a 5xx is an `error`, so that it shows at every level. */
export function logRequest(logger: Logger, request: AnsweredRequest): void {
  const log = request.status >= 500 ? logger.error : logger.http;
  log('request', request);
}

const { printf } = winston.format;
const JSON_LINE = printf(({ time, level, message, ...fields }) => JSON.stringify({ time, level, message, ...fields }));
const PRETTY_LINE = printf(prettyLine);

/** One line for people: time of day, level, message, then `name=value`; a fault's frames follow, indented. */
function prettyLine({ time, level, message, error, ...fields }: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${printable(value)}`);
  const line = [String(time).slice(11, 23), String(level).padEnd(5), printable(message), ...pairs].join(' ');
  return error === undefined ? line : `${line}\n${indented(error)}`;
}

/** Quoted unless plain: a value with a line break or an escape sequence must not look like a line of the log. */
function printable(value: unknown): string {
  const text = String(value);
  return /^[\x20-\x7e]*$/.test(text) ? text : JSON.stringify(text).replace(/[^\x20-\x7e]/gu, '?');
}

function indented(error: unknown): string {
  return JSON.stringify(error, null, 2)
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

type Loggable = string | number | boolean | null | Fault;

/** The logged parts of an error: its place without its message, because messages quote data of callers. */
interface Fault {
  readonly name: string;
  readonly code?: string;
  readonly constraint?: string;
  readonly stack: readonly string[];
  readonly cause?: Fault;
  /** Those of an AggregateError. */
  readonly errors?: readonly Fault[];
}

/**
 * The fields that may be written: listed names with plain values, and `error`, if it is one. Everything else is
 * dropped.
 */
function loggable(fields: Readonly<Record<string, unknown>>): Record<string, Loggable> {
  const loggable: Record<string, Loggable> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error' && isError(value)) loggable.error = faultOf(value, CAUSES);
    else if (FIELDS.has(name) && isPlain(value))
      loggable[name] = typeof value === 'string' ? value.slice(0, LONGEST) : value;
  }
  return loggable;
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** By shape too: an error of another realm (a worker, a test's sandbox) is no instance of this one's Error. */
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function faultOf(error: Error, causes: number): Fault {
  const { code, constraint } = error as { readonly code?: unknown; readonly constraint?: unknown };
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: unknown };
  const several = causes > 0 && Array.isArray(errors) ? errors.filter(isError).slice(0, ERRORS) : [];
  return {
    name: String(error.name).slice(0, LONGEST),
    ...(isWord(code) ? { code } : {}),
    ...(isWord(constraint) ? { constraint } : {}),
    stack: frames(error),
    ...(causes > 0 && isError(cause) ? { cause: faultOf(cause, causes - 1) } : {}),
    ...(several.length > 0 ? { errors: several.map((each) => faultOf(each, causes - 1)) } : {}),
  };
}

/** SQLSTATEs, errno names and constraint names; never a sentence. */
function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,80}$/.test(value);
}

/** The stack opens with the message, of any number of lines; only what follows the whole message is a frame. */
function frames(error: Error): readonly string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const messageAt = stack.indexOf(error.message);
  const after = messageAt < 0 ? stack : stack.slice(messageAt + error.message.length);
  const lines = after.split('\n').filter((line) => FRAME.test(line));
  return lines.slice(0, FRAMES).map((line) => line.trim());
}

/** Where log lines are sent to. Certificates, compression and times OpenTelemetry reads from its own variables. */
export interface ForwardingSettings {
  readonly url: string;
  /** `name=value,name=value`; empty: none. */
  readonly headers: string;
}

/** The lines of this process: how many wait, and what became of the others. */
export interface ForwardingFigures {
  readonly waiting: number;
  readonly sent: number;
  readonly lost: Readonly<Record<LossReason, number>>;
}

/** `full`: too many waited; `refused`: the receiver wants none of a request; `rejected`: it left out some lines of one. */
export const LOSS_REASONS = ['full', 'refused', 'rejected'] as const;
export type LossReason = (typeof LOSS_REASONS)[number];
