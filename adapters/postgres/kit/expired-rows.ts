import { setTimeout as sleep } from 'node:timers/promises';
import { type FindOperator, Raw } from 'typeorm';
import type { ExpiryPass, ExpiryProgress } from '../../../domain/jobs.ts';
import { HOUR, type Millis, SECOND } from '../../../domain/time.ts';
import { LOCK_NOT_AVAILABLE, type Sql, sqlState } from './sql.ts';

/** The database's time as the value of a column. */
export const NOW = () => 'app.now()';

/** Rows of a table that have no effect any more. */
export interface Expired {
  /** In the schema `app`. */
  readonly table: string;
  /** SQL condition on such a row. The values are its parameters from $3 on. */
  readonly condition: string;
  readonly values: readonly unknown[];
}

/** Rows whose time in a column is at least so long ago, by the database's clock. */
export function olderThan(table: string, column: string, age: Millis): Expired {
  return { table, condition: `${column} <= (select app.now()) - $3::interval`, values: [interval(age)] };
}

/**
 * Deletes expired rows in passes over the table, in the order of its pages, so that no statement has to maintain an index
 * on time. A table of up to `SMALL` pages is passed whole in each call; the pages of a larger one are due evenly over
 * `PASS`, and one call takes those that are due, unless another process is at it. After each part it pauses for as long
 * as the part took. Returns how many rows were deleted.
 */
export async function deleteExpired(sql: Sql, expired: Expired): Promise<number> {
  const end = performance.now() + LONGEST;
  for (let total = 0; ; ) {
    const begin = performance.now();
    const { deleted, isDue } = await sql.atomically((own) => deletePart(own, expired)).catch(heldUp);
    total += deleted;
    if (!isDue || performance.now() > end) return total;
    await sleep(performance.now() - begin);
  }
}

interface Part {
  readonly deleted: number;
  /** Whether further pages are due. */
  readonly isDue: boolean;
}

/** A submission or another statement holds an expired row of the part: the next call deletes the part. */
function heldUp(error: unknown): Part {
  if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
  return { deleted: 0, isDue: false };
}

/** Pages of 8 KiB. */
const SMALL = 1_000;
/** Of one transaction: some ten thousand rows, which take some 20 ms. */
const PART = 128;
const PASS: Millis = HOUR;
/** Of one call, so that a run of all tables ends before its next one. */
const LONGEST: Millis = 30 * SECOND;

async function deletePart(sql: Sql, { table, condition, values }: Expired): Promise<Part> {
  await sql.rows(ADD, [table]);
  const [claimed] = await sql.rows<ClaimedPart>(CLAIM, [table]);
  if (!claimed) return { deleted: 0, isDue: false };
  const { page, pages, age, at, began_at } = claimed;
  const next = Math.min(page + PART, pages);
  const isLast = next === pages;
  const [counted] = await sql.rows<{ deleted: number }>(
    `with gone as (
      delete from app.${table} where ctid >= $1::tid and ctid < $2::tid and (${condition}) returning 1
    ) select count(*)::int as deleted from gone`,
    [`(${page},0)`, `(${next},0)`, ...values],
  );
  const deleted = counted?.deleted ?? 0;
  const began = page === 0 ? at : began_at;
  await sql.rows(ADVANCE, [table, isLast ? 0 : next, began, isLast ? began : null, deleted]);
  const due = SMALL + (page === 0 ? 0 : (pages * age) / PASS);
  return { deleted, isDue: !isLast && next < due };
}

interface ClaimedPart {
  /** The first page that is not passed yet. */
  readonly page: number;
  readonly pages: number;
  /** Milliseconds since the pass began. */
  readonly age: number;
  readonly at: Date;
  readonly began_at: Date;
}

const ADD = 'insert into app.expiry_passes (table_name, began_at) values ($1, app.now()) on conflict do nothing';

/** The wait for a row ends before PostgreSQL looks for a deadlock. What a crash undoes is deleted again: no wait for the disk. */
const CLAIM = `
  select page::float8 as page, began_at, clock.at, greatest(0, extract(epoch from clock.at - began_at) * 1000)::float8 as age,
    (pg_relation_size(format('app.%I', table_name)) / current_setting('block_size')::int)::float8 as pages
  from (
    select app.now() as at, set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '10ms', true)
  ) clock, app.expiry_passes
  where table_name = $1 for update of expiry_passes skip locked`;

const ADVANCE = `
  update app.expiry_passes
  set page = $2, began_at = $3, clean_until = coalesce($4, clean_until), deleted = deleted + $5
  where table_name = $1`;

/** See `ExpiryProgress`. */
export function expiryProgress(sql: Sql): ExpiryProgress {
  return { passes: () => sql.rows<ExpiryPass>(PASSES) };
}

const PASSES = `
  select table_name as table, deleted::float8 as deleted, clean_until from app.expiry_passes order by table_name`;

/** Condition of a repository: the time in the column is less long ago, or ahead, by the database's clock. */
export function lessThanAgo(age: Millis): FindOperator<Date> {
  // The clock is volatile: as a subquery it is read once.
  return Raw((column) => `${column} > (select app.now()) - :age::interval`, { age: interval(age) });
}

/** The value of a parameter `$n::interval`. */
export function interval(millis: Millis): string {
  return `${millis} milliseconds`;
}
