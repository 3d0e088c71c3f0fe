import type { ClientBase, Pool, QueryConfig } from 'pg';
import type { DeleteResult, EntityManager, UpdateResult } from 'typeorm';
import { DISK } from '../../../domain/limits.ts';
import { type Clock, type Millis, SECOND } from '../../../domain/time.ts';

/** The SQLSTATE of a write for which the disk of the database has no room. */
export const DISK_FULL = '53100';

/** The SQLSTATE of a temporary file that would be larger than `temp_file_limit`. */
const TEMP_FILE_LIMIT = '53400';

const PAGE = 8_000;

/** The connection of a store: the pool outside of a transaction, the transaction's connection inside. */
export interface Sql {
  /**
   * The rows of one statement. A statement with a `name` is parsed and planned once per connection; a name belongs to
   * one text. Errors carry the SQLSTATE in `code`.
   */
  rows<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;

  /**
   * Runs statements that belong together: as a transaction of their own, or as part of the one that this already is.
   * @param longest milliseconds that each of these statements may take, where that is more than the default
   */
  atomically<T>(work: (sql: Sql) => Promise<T>, longest?: Millis): Promise<T>;

  /** Plain reads and writes of the tables of `entities/`, on the same connection; `longest` does not extend them. */
  readonly tables: Tables;
}

/** What stores use of TypeORM. `save` is not in it: it reads before it writes, and two callers at once both insert. */
export type Tables = Pick<
  EntityManager,
  'find' | 'findBy' | 'findOne' | 'findOneBy' | 'existsBy' | 'insert' | 'update' | 'delete' | 'createQueryBuilder'
>;

/** @param longest milliseconds after which the server ends the statement, where that is not the default */
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
    ...(longest !== undefined && { query_timeout: replyTimeout(longest) }),
  };
  return (await on.query<Row>(config)).rows;
}

/**
 * Milliseconds to wait for the reply to a statement that the server ends after `longest`: a machine that is gone ends no
 * statement and closes no connection.
 */
export function replyTimeout(longest: Millis): Millis {
  return longest + SECOND;
}

/** How many rows a repository's update or delete has changed. */
export function affected({ affected: rows }: UpdateResult | DeleteResult): number {
  if (typeof rows !== 'number') throw new Error('TypeORM did not return the number of affected rows.');
  return rows;
}

/** The SQLSTATE of a write on a server that only reads: one that another has taken over from, or a standby. */
export const READ_ONLY = '25006';

/** The SQLSTATE of a row that refers to one that is not there. */
export const FOREIGN_KEY = '23503';

/** The SQLSTATE of a wait for a lock that was longer than `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** The SQLSTATE of an error, also where TypeORM has wrapped it; empty for any other error. */
export function sqlState(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'driverError' in error ? sqlState(error.driverError) : '';
}

/** Takes note of a time that the database has returned with a result. */
export type NoteTime = (at: Date) => void;

export interface DatabaseClock {
  readonly clock: Clock;
  readonly noteTime: NoteTime;
  /** The newest time that was noted; null before there is any. */
  readonly newest: () => Date | null;
}

export function postgresClock(sql: Sql): DatabaseClock {
  let newest: Date | null = null;
  const noteTime: NoteTime = (at) => {
    if (newest === null || at > newest) newest = at;
  };
  async function now(): Promise<Date> {
    const [row] = await sql.rows<{ at: Date }>('select app.now() as at', [], 'now');
    if (!row) throw new Error('The database returned no time.');
    noteTime(row.at);
    return row.at;
  }
  return { clock: { now, lastSeen: async () => newest ?? now() }, noteTime, newest: () => newest };
}

/**
 * Whether the database can write `DISK.probeBytes` more: it writes so much to a temporary file, which needs no right, and
 * removes it at once. The file is on the disk of the data unless `temp_tablespaces` names another one.
 * @throws what else the database answers
 */
export async function hasDiskRoom(sql: Sql): Promise<boolean> {
  try {
    return await sql.atomically(async (own) => {
      await own.rows(`set local work_mem = '64kB'`);
      await own.rows(PROBE, [PAGE, Math.ceil(DISK.probeBytes / PAGE)]);
      return true;
    });
  } catch (error) {
    if (sqlState(error) === TEMP_FILE_LIMIT) return true;
    if (sqlState(error) === DISK_FULL) return false;
    throw error;
  }
}

/** SQL by hand: read twice, the pages do not fit into memory and are written. */
const PROBE = `
  with pages as materialized (select repeat('x', $1::int) as page from generate_series(1, $2::int))
  select (select count(page) from pages) + (select count(*) from pages) as pages`;
