import type pg from 'pg';
import { type Cost, costTable } from '../cost-table.ts';

/** What a history takes on disk, with its indexes. */
export interface Space {
  readonly records: number;
  /** Bytes by table, the largest first. */
  readonly tables: ReadonlyMap<string, number>;
}

export async function spaceOf(client: pg.Client, records: number): Promise<Space> {
  const { rows } = await client.query<{ name: string; size: number }>(SIZES);
  return { records, tables: new Map(rows.map(({ name, size }) => [name, size])) };
}

/** Those of partitions count as their table's. */
const SIZES = `
  select t.relname as name, sum(pg_total_relation_size(c.oid))::float8 as size
  from pg_class c left join pg_inherits on inhrelid = c.oid join pg_class t on t.oid = coalesce(inhparent, c.oid)
  where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' group by 1
  having sum(pg_total_relation_size(c.oid)) > 1000000 order by size desc`;

/** What each history takes for a decision, and what a billion decisions take by that of the largest. */
export function spaceText(spaces: readonly Space[], costs: readonly (readonly Cost[])[]): string {
  const lines = spaces.map(({ records, tables }) => {
    const bytes = [...tables].map(([table, size]) => `${table} ${(size / records).toFixed(0)}`);
    return `${records.toLocaleString('en')} records take ${bytesEach({ records, tables }).toFixed(0)} bytes each: ${bytes.join(', ')}`;
  });
  const [largest, works] = [spaces.at(-1), costs.at(-1)];
  return [
    costTable(costs.flat()),
    ...lines,
    ...(largest && works ? [billionText(bytesEach(largest), works)] : []),
  ].join('\n');
}

function bytesEach({ records, tables }: Space): number {
  return [...tables.values()].reduce((sum, size) => sum + size, 0) / records;
}

const BILLION = 1e9;
const DAY_IN_MICROSECONDS = 86_400e6;

function billionText(bytes: number, works: readonly Cost[]): string {
  const sum = (of: (cost: Cost) => number) => works.reduce((all, cost) => all + of(cost), 0);
  const terabytes = (each: number) => `${((each * BILLION) / 1e12).toFixed(1)} TB`;
  const days = (sum(({ ours, postgres }) => ours + postgres) * BILLION) / DAY_IN_MICROSECONDS;
  return `1 billion decisions, calculated: ${terabytes(bytes)} on disk, ${terabytes(sum(({ log }) => log))} of write-ahead log, ${days.toFixed(0)} days of one core`;
}
