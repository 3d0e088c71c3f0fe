import type { EntitySchema, EntitySchemaColumnOptions } from 'typeorm';

/** A point in time, in whole milliseconds. */
export const INSTANT = { type: 'timestamptz', precision: 3 } as const;

/** The order in which rows were added: the database counts it (identity), nobody writes it. A text of digits in rows. */
export const SEQUENCE = { type: 'bigint', primary: true, insert: false, update: false } as const;

/** A column that the database computes from others of its row. */
export const COMPUTED = { insert: false, update: false } as const;

type Entity<Row> = EntitySchema<Row>;
type Column<Row> = readonly [name: keyof Row & string, options: EntitySchemaColumnOptions];

// Statements written by hand take their lists of columns from the entities, so that a new column is declared once.

/** What reads of the table return, in SQL: the columns that are not hidden, those of other tables included. */
export function selection<Row>(entity: Entity<Row>, alias: string): string {
  const shown = columnsOf(entity).filter(([, { select = true }]) => select);
  return shown.map(([name, { query }]) => (query ? `(${query(alias)}) as ${name}` : `${alias}.${name}`)).join(', ');
}

/** What an insert writes: the columns without a default, in one order. No column of JSON: its arrays would become arrays of PostgreSQL. */
export interface Insertion<Row> {
  readonly names: readonly (keyof Row & string)[];
  /** The parameter of a column, with its type. */
  readonly param: (name: keyof Row & string) => string;
  /** The parameters of all columns. */
  readonly params: string;
  readonly values: (row: Partial<Row>) => readonly unknown[];
}

/** @param first the number of the first parameter @param others columns that the statement sets by itself */
export function insertion<Row>(
  entity: Entity<Row>,
  first: number,
  others: readonly (keyof Row)[] = [],
): Insertion<Row> {
  const isWritten = ([, options]: Column<Row>) => (options.insert ?? true) && !options.query && !('default' in options);
  const columns = columnsOf(entity).filter((column) => isWritten(column) && !others.includes(column[0]));
  const names = columns.map(([name]) => name);
  const params = columns.map(([, options], at) => `$${first + at}::${typeOf(options)}`);
  return {
    names,
    param: (name) => params[names.indexOf(name)] ?? unknownColumn(name),
    params: params.join(', '),
    values: (row) => names.map((name) => row[name]),
  };
}

/** What an update sets of a row: the members that are not undefined. @param first the number of the first parameter */
export function assignment<Row>(
  entity: Entity<Row>,
  changes: Partial<Row>,
  first: number,
): { readonly set: string; readonly values: readonly unknown[] } {
  const changed = columnsOf(entity).filter(([name]) => changes[name] !== undefined);
  const set = changed.map(([name, options], at) => `${name} = $${first + at}::${typeOf(options)}`);
  return { set: set.join(', '), values: changed.map(([name]) => changes[name]) };
}

/** What `on conflict do update` sets, so that the row is the one that was inserted: all columns but the primary key. */
export function replacement<Row>(entity: Entity<Row>): string {
  const replaced = columnsOf(entity).filter(([, { primary, query }]) => !primary && !query);
  return replaced.map(([name]) => `${name} = excluded.${name}`).join(', ');
}

function columnsOf<Row>({ options }: Entity<Row>): readonly Column<Row>[] {
  return Object.entries(options.columns) as unknown as readonly Column<Row>[];
}

function typeOf({ type, precision, array = false }: EntitySchemaColumnOptions): string {
  return `${type}${precision ? `(${precision})` : ''}${array ? '[]' : ''}`;
}

function unknownColumn(name: string): never {
  throw new Error(`No insert writes the column ${name}.`);
}
