import type { RecordMonths } from '../../../domain/decisions/own/record-counts.ts';
import { LOCK_NOT_AVAILABLE, type Sql, sqlState } from '../kit/sql.ts';

/** SQL by hand: see functions/months.sql. Each partition is a transaction of its own. */
export function postgresMonths(sql: Sql): RecordMonths {
  return {
    async addMissing() {
      while (await addMonth(sql).catch(heldUp));
    },
  };
}

async function addMonth(sql: Sql): Promise<boolean> {
  const [row] = await sql.rows<{ name: string | null }>('select app.add_month() as name');
  return row?.name != null;
}

function heldUp(error: unknown): false {
  if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
  return false;
}

/** Conditions on columns of record ids by which the server finds the partitions of records. */
export interface RecordRange {
  /** Statements with conditions of one name have one text. */
  readonly name: string;
  readonly of: (column: string) => string;
  /** The values of `$3` and the following parameters. */
  readonly values: readonly string[];
}

/**
 * Ranges that contain these records. Those of last month and this one are constants: the server finds their partitions when
 * it plans the statement, and neither locks nor opens another one when it runs it.
 */
export function rangeOf(record_ids: readonly string[], now: Date): RecordRange {
  if (!record_ids.every((id) => isRecent(id, now))) return between(record_ids);
  const start = monthStart(now, 0);
  const from = record_ids.some((id) => id < start) ? monthStart(now, -1) : start;
  const before = record_ids.some((id) => id >= start) ? monthStart(now, 1) : start;
  return {
    name: `${from} ${before}`,
    of: (column) => `${column} >= '${from}' and ${column} < '${before}'`,
    values: [],
  };
}

/** The server opens the partitions between the first and the last record, and locks all. */
function between(record_ids: readonly string[]): RecordRange {
  const [first = '', last = first] = [record_ids.toSorted().at(0), record_ids.toSorted().at(-1)];
  return { name: 'others', of: (column) => `${column} between $3 and $4`, values: [first, last] };
}

/** Whether the record was received in the last month or in this one (UTC), as far as its id says. */
export function isRecent(record_id: string, now: Date): boolean {
  return record_id >= monthStart(now, -1) && record_id < monthStart(now, 1);
}

/** Ids of records that are received in that month or later are not less. */
function monthStart(now: Date, ahead: number): string {
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  return `dec_${month.toISOString().slice(0, 7).replace('-', '')}01`;
}
