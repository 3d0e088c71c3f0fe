import pg from 'pg';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { replyTimeout } from './sql.ts';
import { VALUE_TYPES } from './value-types.ts';

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
