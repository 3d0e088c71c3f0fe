import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { DeleteResult, EntityManager, UpdateResult } from 'typeorm';
import { type Millis, SECOND } from '../../../domain/time.ts';

/** What a store speaks to: the pool outside of a transaction, that transaction's connection inside. */
export interface Sql {
  /**
   * The rows of one statement. A `name` has it parsed and planned once per connection; a name belongs to one text.
   * Errors carry the SQLSTATE in `code`.
   */
  rows<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;

  /**
   * Runs statements that belong together: as a transaction of their own, or as part of the one that this already is.
   * @param longest milliseconds that each statement from here on may take, where that is more than for others
   */
  atomically<T>(work: (sql: Sql) => Promise<T>, longest?: Millis): Promise<T>;

  /**
   * The tables of `entities/` through TypeORM, on the same connection: for plain reads and writes off the hot paths. A
   * statement of it may take as long as others, whatever `longest` allows. Never `save`, which reads before it writes.
   */
  readonly tables: EntityManager;
}

/** @param longest what the server lets the statement take, in milliseconds, where that is not what it lets others */
export async function query<Row extends object>(
  on: Pool | ClientBase,
  text: string,
  values: readonly unknown[] = [],
  name?: string,
  longest?: Millis,
): Promise<Row[]> {
  const config: QueryConfig = {
    ...{ text, values: [...values] },
    ...(name !== undefined && { name }),
    ...(longest !== undefined && { query_timeout: heardWithin(longest) }),
  };
  return (await on.query<Row>(config)).rows;
}

/**
 * Milliseconds in which whatever a statement comes to is heard, for one that the server ends after `longest`: a machine
 * that is gone ends no statement and closes no connection.
 */
export function heardWithin(longest: Millis): Millis {
  return longest + SECOND;
}

/** How many rows a repository's update or delete has changed. */
export function affected({ affected: rows }: UpdateResult | DeleteResult): number {
  if (typeof rows !== 'number') throw new Error('TypeORM did not return the number of affected rows.');
  return rows;
}

/** The SQLSTATE of a write on a server that only reads: one that another has taken over from, or a standby. */
export const READ_ONLY = '25006';

/** The SQLSTATE of an error, also where TypeORM has wrapped it; empty for any other error. */
export function sqlState(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? sqlState(error.driverError) : '';
}
