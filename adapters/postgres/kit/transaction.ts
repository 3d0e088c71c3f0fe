import type { Client } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { type Millis, SECOND } from '../../../domain/time.ts';
import { query, READ_ONLY, type Sql, sqlState } from './sql.ts';

export type Transact = Sql['atomically'];

/**
 * Transactions on connections of the pool, READ COMMITTED. The work is run again, up to 5 times, each after a short random
 * pause, when PostgreSQL ends it for a serialisation failure or a deadlock. A failed statement undoes its transaction,
 * whether the work catches the error or not. A connection whose server takes no writes is closed.
 * @param pooled see `PostgresOptions`
 */
export function transactionsOf(source: DataSource, { pooled = false } = {}): Transact {
  return async (work, longest) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await attemptOnce(source, pooled, work, longest);
      } catch (error) {
        if (attempt === ATTEMPTS || !mayBeRunAgain(error)) throw error;
        await pause(attempt);
      }
    }
  };
}

const ATTEMPTS = 6;

function mayBeRunAgain(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error));
}

/** At most 10, 20, 40 ... milliseconds, so that two transactions that collided do not collide again. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * 2 ** attempt));
}

async function attemptOnce<T>(
  source: DataSource,
  pooled: boolean,
  work: (sql: Sql) => Promise<T>,
  longest: Millis | undefined,
): Promise<T> {
  const progress: Progress = { open: true, failure: undefined };
  const runner = guarded(source.createQueryRunner(), progress);
  const client: Client = await runner.connect();
  try {
    await client.query('begin isolation level read committed');
    const result = await sqlOver(client, runner.manager, progress, pooled).atomically(work, longest);
    progress.open = false;
    await commit(client, progress);
    return result;
  } catch (error) {
    progress.open = false;
    await rollback(client);
    if (sqlState(progress.failure) === READ_ONLY) await close(client);
    throw mayBeRunAgain(progress.failure) ? progress.failure : error;
  } finally {
    await runner.release();
  }
}

const CONNECTION_FAILURE = '08006';

interface Progress {
  open: boolean;
  /** The first statement's error. */
  failure: unknown;
  /** Milliseconds; as given to `Sql.atomically`. */
  longest?: Millis;
}

/** Statements of TypeORM are refused after the end, and their failures noted, like those of `rows`. */
function guarded(runner: QueryRunner, progress: Progress): QueryRunner {
  const send = runner.query.bind(runner) as (...statement: unknown[]) => Promise<unknown>;
  runner.query = ((...statement: unknown[]) =>
    step(progress, async () => {
      // TypeORM releases a runner whose connection ends between two statements, and its own error has no SQLSTATE.
      if (runner.isReleased) throw Object.assign(new Error('The connection has ended.'), { code: CONNECTION_FAILURE });
      return send(...statement);
    })) as QueryRunner['query'];
  return runner;
}

async function step<T>(progress: Progress, send: () => Promise<T>): Promise<T> {
  if (!progress.open) throw new Error('A statement was sent after the end of its transaction.');
  try {
    return await send();
  } catch (error) {
    progress.failure ??= error;
    throw error;
  }
}

function sqlOver(client: Client, tables: Sql['tables'], progress: Progress, pooled: boolean): Sql {
  const sql: Sql = {
    rows: <Row extends object>(text: string, values?: readonly unknown[], name?: string) =>
      step(progress, () => query<Row>(client, text, values, pooled ? undefined : name, progress.longest)),
    async atomically(work, longest) {
      if (longest !== undefined) {
        // A setting, unlike a query, may come before the level of isolation is chosen.
        await sql.rows(`set local statement_timeout = ${longest}`);
        progress.longest = longest;
      }
      return work(sql);
    },
    tables,
  };
  return sql;
}

/** PostgreSQL answers the commit of a doomed transaction with ROLLBACK, and not with an error. */
async function commit(client: Client, { failure }: Progress): Promise<void> {
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw failure ?? new Error('The transaction had failed and was rolled back.');
}

const ROLLBACK = { text: 'rollback', query_timeout: 5 * SECOND };

/** A connection that cannot even roll back is closed: the server ends its transaction. */
async function rollback(client: Client): Promise<void> {
  try {
    await client.query(ROLLBACK);
  } catch {
    await close(client);
  }
}

/** The pool replaces a connection that has ended; the new one leads to the server that takes writes now. */
async function close(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}
