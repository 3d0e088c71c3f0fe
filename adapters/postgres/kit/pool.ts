import pg, { type Pool } from 'pg';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { replyTimeout } from './sql.ts';

/**
 * How values of the database are read: as pg does, but for instants. It takes four times as long for one, and a page of
 * records holds more than a hundred.
 */
export const VALUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === pg.types.builtins.TIMESTAMPTZ && format !== 'binary' ? instantOf : pg.types.getTypeParser(id, format),
};

const ZERO = 48;

const readAny: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

export interface PoolOptions {
  readonly url: string;
  /** Connections, at least 1. */
  readonly poolSize: number;
  /** Milliseconds until a caller that gets no connection is refused. */
  readonly connectionTimeout: Millis;
  /** Milliseconds after which the server ends a statement, default 15,000. */
  readonly longestStatement?: Millis | undefined;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Settings of every session; null behind a pooler, where they belong to the role. */
  readonly session: typeof SESSION | null;
  /** Runs on each new connection before its first use; one that fails is not used. */
  readonly onConnect?: (client: pg.ClientBase) => Promise<void>;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { longestStatement = SESSION.statement_timeout, session } = options;
  return new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectionTimeout,
    application_name: options.applicationName,
    ...ALIVE,
    types: VALUE_TYPES,
    query_timeout: replyTimeout(longestStatement),
    ...(session && { ...session, statement_timeout: longestStatement }),
    ...(options.onConnect && { onConnect: options.onConnect }),
  });
}

/**
 * A machine that is gone closes no connection. While a connection waits for a reply, `replyTimeout` is the limit; an idle
 * one is probed by the system after 5 s of silence and given up after 10 more (Linux).
 */
const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5 * SECOND };

/** Without JIT: plans that are forced to use indexes have high estimates, for which the server would compile each of them. */
export const SESSION = {
  statement_timeout: 15 * SECOND,
  idle_in_transaction_session_timeout: 30 * SECOND,
  options: '-c default_transaction_isolation=read\\ committed -c timezone=UTC -c jit=off',
};

/** `2026-01-30 14:30:00.125+00`, as a session in UTC writes it, or with fewer digits; any other form is pg's to read. */
function instantOf(text: string): Date {
  const isUsual = text.length <= 26 && text.endsWith('+00') && text[4] === '-' && text.charCodeAt(0) > ZERO;
  if (!isUsual) return readAny(text);
  const two = (at: number) => digit(text, at) * 10 + digit(text, at + 1);
  let milli = 0;
  for (let at = 20, weight = 100; at < text.length - 3; at += 1, weight /= 10) milli += digit(text, at) * weight;
  return new Date(Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), milli));
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - ZERO;
}

/** The connections of this process's pool, and how many requests wait for one to come free. */
export interface PoolUse {
  readonly in_use: number;
  readonly idle: number;
  readonly waiting: number;
}

export function poolUse({ totalCount, idleCount, waitingCount }: Pool): PoolUse {
  return { in_use: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
}
