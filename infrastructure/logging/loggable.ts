export type Loggable = string | number | boolean | null | Fault;

/** The logged parts of an error: its place without its message, because messages quote data of callers. */
export interface Fault {
  readonly name: string;
  readonly code?: string;
  readonly constraint?: string;
  readonly stack: readonly string[];
  readonly cause?: Fault;
  /** Those of an AggregateError. */
  readonly errors?: readonly Fault[];
}

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
  ],
]);
const LONGEST = 200;
const FRAMES = 12;
const FRAME = /^ {4}at .*(:\d+:\d+|<anonymous>|native)\)?$/;
const CAUSES = 3;
const ERRORS = 20;

/**
 * The fields that may be written: listed names with plain values, and `error`, if it is one. Everything else is
 * dropped.
 */
export function loggable(fields: Readonly<Record<string, unknown>>): Record<string, Loggable> {
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
