import type { Client } from 'pg';
import { cpuDuring } from './cpu.ts';

/** The cost of one unit of work. */
export interface Cost {
  readonly name: string;
  readonly count: number;
  /** Microseconds of CPU of Node.js and of PostgreSQL. */
  readonly ours: number;
  readonly postgres: number;
  /** Bytes of write-ahead log. */
  readonly log: number;
  /** Bytes on disk, with indexes, by table. */
  readonly grown: ReadonlyMap<string, number>;
}

/** Process ids; each counts with its children. */
export interface Processes {
  readonly ours: number;
  readonly postgres: number;
}

/** @param work returns how many units it did */
export async function costOf(
  client: Client,
  name: string,
  { ours, postgres }: Processes,
  work: () => Promise<number>,
): Promise<Cost> {
  const before = await mark(client);
  const [[count, inPostgres], inOurs] = await cpuDuring([ours], () => cpuDuring([postgres], work));
  const after = await mark(client);
  const grown = [...after.sizes].map(
    ([table, size]) => [table, (size - (before.sizes.get(table) ?? 0)) / count] as const,
  );
  return {
    name,
    count,
    ours: inOurs / count,
    postgres: inPostgres / count,
    log: (after.log - before.log) / count,
    grown: new Map(grown.filter(([, bytes]) => bytes >= 1).toSorted(([, a], [, b]) => b - a)),
  };
}

interface Mark {
  readonly log: number;
  readonly sizes: ReadonlyMap<string, number>;
}

/** Reads the sizes first: that writes no log. Those of partitions count as their table's. */
async function mark(client: Client): Promise<Mark> {
  const { rows: tables } = await client.query<{ name: string; size: number }>(
    `select t.relname as name, sum(pg_total_relation_size(c.oid))::float8 as size
     from pg_class c left join pg_inherits on inhrelid = c.oid join pg_class t on t.oid = coalesce(inhparent, c.oid)
     where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' group by 1`,
  );
  const { rows } = await client.query<{ log: number }>(`select (pg_current_wal_insert_lsn() - '0/0')::float8 as log`);
  return { log: rows[0]?.log ?? Number.NaN, sizes: new Map(tables.map(({ name, size }) => [name, size])) };
}

/** The cost of a unit in several measurements of the same work. */
export function meanOf(costs: readonly Cost[]): Cost {
  const counts = costs.reduce((sum, { count }) => sum + count, 0);
  const [first] = costs;
  return { ...addedUp(first?.name ?? '', costs, ({ count }) => count / counts), count: counts };
}

/** The cost of works that follow each other, each once for a unit. */
export function chainOf(name: string, costs: readonly Cost[]): Cost {
  return addedUp(name, costs, () => 1);
}

function addedUp(name: string, costs: readonly Cost[], weight: (cost: Cost) => number): Cost {
  const sum = (of: (cost: Cost) => number) => costs.reduce((all, cost) => all + of(cost) * weight(cost), 0);
  const tables = new Set(costs.flatMap(({ grown }) => [...grown.keys()]));
  const grown = [...tables].map((table) => [table, sum((cost) => cost.grown.get(table) ?? 0)] as const);
  return {
    ...{ name, count: costs[0]?.count ?? 0, ours: sum(({ ours }) => ours), postgres: sum(({ postgres }) => postgres) },
    ...{ log: sum(({ log }) => log), grown: new Map(grown.toSorted(([, a], [, b]) => b - a)) },
  };
}

/** Bytes on disk. */
export function bytesOf({ grown }: Cost): number {
  return [...grown.values()].reduce((all, bytes) => all + bytes, 0);
}

export function costTable(costs: readonly Cost[]): string {
  const width = Math.max(...costs.map(({ name }) => name.length));
  const lines = costs.map((cost) =>
    [
      cost.name.padEnd(width),
      ...[cost.ours, cost.postgres, cost.log, bytesOf(cost)].map((value) => value.toFixed(0).padStart(11)),
      String(cost.count).padStart(9),
    ].join(' '),
  );
  return [`${''.padEnd(width)}     Node us PostgreSQL us  log bytes disk bytes      units`, ...lines].join('\n');
}

/** The bytes that one unit adds to each table. */
export function growthOf({ name, grown }: Cost): string {
  return `${name} leaves: ${[...grown].map(([table, bytes]) => `${table} ${bytes.toFixed(0)}`).join(', ') || 'nothing'}`;
}
