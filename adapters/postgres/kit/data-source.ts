import type { ClientBase, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { TABLES } from '../entities/accounts.ts';
import { heardWithin, query, READ_ONLY, type Sql } from './sql.ts';
import { transactionsOf } from './transaction.ts';
import { VALUE_TYPES } from './value-types.ts';

export interface PostgresOptions {
  /** As the service: what the migrations grant. */
  readonly url: string;
  /** Connections of this process, at least 1. */
  readonly poolSize: number;
  /** Milliseconds until a caller that no connection is made or comes free for is told so; 5,000 unless told. */
  readonly connectionTimeout?: number;
  /** Milliseconds after which a statement is ended, 15,000 unless told; a pooler's server has to be set to as much. */
  readonly longestStatement?: Millis;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Told of connections that broke while nobody used them; the pool replaces them. */
  readonly onIdleError?: (error: Error) => void;
  /**
   * A pooler in transaction mode stands between: it keeps neither a session's settings nor its named statements, so
   * that neither is used. The settings belong to the role then.
   */
  readonly pooled?: boolean;
}

/**
 * The one pool of the process, within TypeORM's DataSource. A connection that leads to a standby, as it may for a moment
 * while another server takes over, is not used. Throws when the database cannot be reached.
 */
export async function openDataSource(options: PostgresOptions): Promise<DataSource> {
  const { url, poolSize, connectionTimeout = 5_000 } = options;
  const { longestStatement = SESSION.statement_timeout, applicationName = 'stancebook' } = options;
  const { onIdleError = () => undefined, pooled = false } = options;
  const source = new DataSource({
    type: 'postgres',
    url,
    schema: 'app',
    entities: [...TABLES],
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolSize,
    applicationName,
    connectTimeoutMS: connectionTimeout,
    poolErrorHandler: onIdleError,
    extra: {
      ...ALIVE,
      ...{ types: VALUE_TYPES, onConnect: welcome, query_timeout: heardWithin(longestStatement) },
      ...(pooled ? {} : { ...SESSION, statement_timeout: longestStatement }),
    },
  });
  return source.initialize();
}

/**
 * A machine that is gone closes no connection. Of those that wait for a statement the time tells (`heardWithin`); of those that
 * nobody uses the system does, which asks after 5 s of silence and gives up after 10 more (Linux).
 */
export const ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5 * SECOND };

/** What every connection is told as it is made. */
export const SESSION = {
  statement_timeout: 15 * SECOND,
  idle_in_transaction_session_timeout: 30 * SECOND,
  options: '-c default_transaction_isolation=read\\ committed -c timezone=UTC',
};

/**
 * A connection can end in the moment in which it changes hands, when nobody listens to it yet and an error would end the
 * process: what is asked of it next fails and tells.
 */
function welcome(client: ClientBase): Promise<void> {
  client.on('error', () => undefined);
  return refuseStandby(client);
}

/** pg knows no `target_session_attrs`. A standby would answer reads with what is over. */
async function refuseStandby(client: ClientBase): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby) throw Object.assign(new Error('The connection leads to a standby.'), { code: READ_ONLY });
}

/** The pool as a `Sql`: each statement takes whichever connection is free. */
export function poolSql(source: DataSource, { pooled = false }: Pick<PostgresOptions, 'pooled'> = {}): Sql {
  const pool: Pool = (source.driver as unknown as { readonly master: Pool }).master;
  return {
    rows: (text, values, name) => query(pool, text, values, pooled ? undefined : name),
    atomically: transactionsOf(source, { pooled }),
    tables: source.manager,
  };
}
