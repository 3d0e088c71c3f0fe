import { DISK } from '../../../domain/limits.ts';
import { type Sql, sqlState } from './sql.ts';

/** The SQLSTATE of a write for which the disk of the database has no room. */
export const DISK_FULL = '53100';

/** The SQLSTATE of a temporary file that would be larger than `temp_file_limit`. */
const TEMP_FILE_LIMIT = '53400';

const PAGE = 8_000;

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
