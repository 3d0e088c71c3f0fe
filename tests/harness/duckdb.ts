import { DuckDBInstance } from '@duckdb/node-api';

/** A row as DuckDB reads it: texts, numbers, booleans, times as dates, null. */
export type DuckRow = Readonly<Record<string, unknown>>;

/** The rows of a query, in a database in memory of its own, with times in UTC. */
export async function duckRows(sql: string): Promise<readonly DuckRow[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A path as a literal of SQL. */
export function quoted(path: string): string {
  return `'${path.replaceAll("'", "''")}'`;
}

/** How DuckDB reads our CSV: missing values are what has no quotes, and kinds are as its columns say. */
export function csvOf(path: string, types: Readonly<Record<string, string>>): string {
  const columns = Object.entries(types).map(([name, type]) => `'${name}': '${type}'`);
  return (
    `read_csv(${quoted(path)}, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', ` +
    `allow_quoted_nulls = false, auto_detect = false, strict_mode = true, columns = {${columns.join(', ')}})`
  );
}
