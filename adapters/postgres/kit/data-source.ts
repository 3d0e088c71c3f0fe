import type { ClientBase, Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Millis } from '../../../domain/time.ts';
import { AUDIT_LOG } from '../entities/audit-log.ts';
import { CIRCUIT_MONITORS, CIRCUIT_SNAPSHOTS, PEG_OBSERVATIONS } from '../entities/circuits.ts';
import { FACTOR_RESETS, PASSKEY_CHALLENGES, PASSKEYS, RECOVERY_CODES, TOTP_SECRETS } from '../entities/factors.ts';
import { INSTRUMENT_REFRESHES, INSTRUMENTS, SYMBOL_FILES } from '../entities/instruments.ts';
import { AGENTS, API_KEYS, LEGAL_ACCEPTANCES, OWNERS } from '../entities/owners.ts';
import { JOB_RUNS, SERVICE_MINUTES, SERVICE_PROCESSES, SOURCE_HEALTH } from '../entities/processes.ts';
import { DEVICE_SIGN_INS, IDENTITIES, LOGIN_ATTEMPTS, PROVIDER_LOGINS, SESSIONS } from '../entities/sign-ins.ts';
import { WEBHOOKS } from '../entities/webhooks.ts';
import { WORKFLOW_PUBLICATIONS, WORKFLOW_SNAPSHOTS, WORKFLOWS } from '../entities/workflows.ts';
import { openPool, SESSION } from './pool.ts';
import { query, READ_ONLY, type Sql } from './sql.ts';
import { transactionsOf } from './transaction.ts';

/**
 * The tables that repositories serve, each as it is now. The migrations alone make and change tables; a test compares every entity with the database's catalogue. No relations: a join is written where
 * it is needed.
 */
export const ENTITIES = [
  OWNERS,
  AGENTS,
  API_KEYS,
  SESSIONS,
  TOTP_SECRETS,
  FACTOR_RESETS,
  RECOVERY_CODES,
  PASSKEYS,
  PASSKEY_CHALLENGES,
  IDENTITIES,
  LOGIN_ATTEMPTS,
  PROVIDER_LOGINS,
  DEVICE_SIGN_INS,
  LEGAL_ACCEPTANCES,
  AUDIT_LOG,
  WORKFLOWS,
  WORKFLOW_SNAPSHOTS,
  WORKFLOW_PUBLICATIONS,
  WEBHOOKS,
  CIRCUIT_MONITORS,
  CIRCUIT_SNAPSHOTS,
  PEG_OBSERVATIONS,
  INSTRUMENTS,
  INSTRUMENT_REFRESHES,
  SYMBOL_FILES,
  SOURCE_HEALTH,
  SERVICE_PROCESSES,
  JOB_RUNS,
  SERVICE_MINUTES,
] as const;

export interface PostgresOptions {
  /** As the service: what the migrations grant. */
  readonly url: string;
  /** Connections of this process, at least 1. */
  readonly poolSize: number;
  /** Milliseconds until a caller that gets no connection is refused; default 5,000. */
  readonly connectionTimeout?: number;
  /** Milliseconds after which the server ends a statement, default 15,000; a pooler's server needs the same setting. */
  readonly longestStatement?: Millis;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Called for idle connections that break, unless the pool ends; the pool replaces them. */
  readonly onIdleError?: (error: Error) => void;
  /**
   * True behind a pooler in transaction mode. It keeps neither a session's settings nor its named statements, so neither
   * is sent; the settings then belong to the role.
   */
  readonly pooled?: boolean;
}

/** The one pool of the process, which TypeORM's repositories and hand-written SQL share. */
export class PooledDataSource extends DataSource {
  readonly pool: Pool;

  constructor(pool: Pool, onIdleError: (error: Error) => void) {
    // TypeORM opens its pool by `new driver.Pool()`: this driver returns ours.
    function OpenPool() {
      return pool;
    }
    super({
      type: 'postgres',
      driver: { Pool: OpenPool },
      schema: 'app',
      entities: [...ENTITIES],
      synchronize: false,
      // Null or undefined in a condition is a mistake: ignored, it would read or change every row.
      invalidWhereValuesBehavior: { null: 'throw', undefined: 'throw' },
      installExtensions: false,
      logging: false,
      poolErrorHandler: onIdleError,
    });
    this.pool = pool;
  }

  /**
   * Work that is under way fails. The pool ends first: TypeORM would give the connections back to it while transactions are
   * open, and the pool would run the statements that wait for one inside of these.
   */
  override async destroy(): Promise<void> {
    const ended = this.pool.end();
    const { connectedQueryRunners } = this.driver as PostgresDriver;
    for (const runner of [...connectedQueryRunners]) await runner.release();
    await ended;
  }
}

/**
 * Opens the pool. A connection that leads to a standby, as it may for a moment during a failover, is refused.
 * @throws when the database cannot be reached
 */
export async function openDataSource(options: PostgresOptions): Promise<PooledDataSource> {
  const { connectionTimeout = 5_000, applicationName = 'stancebook', pooled = false } = options;
  const session = pooled ? null : SESSION;
  const pool = openPool({ ...options, connectionTimeout, applicationName, session, onConnect: welcome });
  // A pool that ends ends its connections without waiting for them, so a server that stops just then breaks some.
  const onIdleError = (error: Error) => {
    if (!pool.ending) options.onIdleError?.(error);
  };
  const source = new PooledDataSource(pool, onIdleError);
  await source.initialize();
  return source;
}

/**
 * A connection can end while it changes hands, when nothing listens to it and an error would end the process. With this
 * listener the next statement on it fails instead.
 */
function welcome(client: ClientBase): Promise<void> {
  client.on('error', () => undefined);
  return refuseStandby(client);
}

/** pg knows no `target_session_attrs`. A standby would answer reads with old rows. */
async function refuseStandby(client: ClientBase): Promise<void> {
  const { rows } = await client.query('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby) throw Object.assign(new Error('The connection leads to a standby.'), { code: READ_ONLY });
}

/** The pool as a `Sql`: each statement takes whichever connection is free. */
export function poolSql(source: PooledDataSource, { pooled = false }: Pick<PostgresOptions, 'pooled'> = {}): Sql {
  return {
    rows: (text, values, name) => query(source.pool, text, values, pooled ? undefined : name),
    atomically: transactionsOf(source, { pooled }),
    tables: source.manager,
  };
}
