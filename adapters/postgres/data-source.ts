import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { query, type Sql } from './sql.ts';
import { TABLES } from './tables.ts';
import { transactionsOf } from './transaction.ts';

export interface PostgresOptions {
  /** As the service: what the migrations grant. */
  readonly url: string;
  /** Connections of this process, at least 1. */
  readonly poolSize: number;
  /** Milliseconds until a caller that no connection is made or comes free for is told so; 5,000 unless told. */
  readonly connectionTimeout?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Told of connections that broke while nobody used them; the pool replaces them. */
  readonly onIdleError?: (error: Error) => void;
}

/** The one pool of the process, within TypeORM's DataSource. Throws when the database cannot be reached. */
export async function openDataSource(options: PostgresOptions): Promise<DataSource> {
  const { url, poolSize, connectionTimeout = 5_000 } = options;
  const { applicationName = 'stancebook', onIdleError = () => undefined } = options;
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
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 30_000,
      keepAlive: true,
      options: '-c default_transaction_isolation=read\\ committed -c timezone=UTC',
    },
  });
  return source.initialize();
}

/** The pool as a `Sql`: each statement takes whichever connection is free. */
export function poolSql(source: DataSource): Sql {
  const pool: Pool = (source.driver as unknown as { readonly master: Pool }).master;
  return {
    rows: (text, values, name) => query(pool, text, values, name),
    atomically: transactionsOf(source),
    tables: source.manager,
  };
}
