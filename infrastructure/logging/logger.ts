import type { Writable } from 'node:stream';
import winston from 'winston';
import { loggable } from './loggable.ts';
import { prettyLine } from './pretty-line.ts';

const LOG_LEVELS = ['error', 'warn', 'info', 'http', 'debug'] as const;
export type LogMethod = (typeof LOG_LEVELS)[number];

type Log = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A message is a fixed text: variable parts are fields, and only listed fields are written (`logging/loggable.ts`). */
export type Logger = Readonly<Record<LogMethod, Log>>;

export interface LoggerOptions {
  readonly level: LogMethod | 'silent';
  readonly format: 'json' | 'pretty';
  readonly stream?: Writable;
}

/** Writes a line per event to the stream (default standard output). A level that is off costs one empty call. */
export function createLogger({ level, format, stream = process.stdout }: LoggerOptions): Logger {
  const sink = winston.createLogger({
    level: level === 'silent' ? 'error' : level,
    silent: level === 'silent',
    levels: Object.fromEntries(LOG_LEVELS.map((name, rank) => [name, rank])),
    format: format === 'json' ? JSON_LINE : PRETTY_LINE,
    transports: [new winston.transports.Stream({ stream })],
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
