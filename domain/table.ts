/** What the cells of a column are. `json`: the text of a JSON value. `time`: to the millisecond, in UTC. */
export type ColumnKind = 'text' | 'json' | 'integer' | 'number' | 'boolean' | 'time';

/** A missing value is null in every kind; an integer has at most 32 bits. */
export type Cell = string | number | boolean | Date | null;

/** A column of a table of rows, with its entry in the data dictionary. */
export interface TableColumn<Row> {
  /** Lower case, digits and underscores: a name in every format and language. */
  readonly name: string;
  readonly kind: ColumnKind;
  /** One sentence for the data dictionary. */
  readonly description: string;
  readonly of: (row: Row) => Cell;
}

/** The formats in which a table is written. */
const TABLE_FORMATS = ['csv', 'parquet', 'jsonl'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** The media types of the formats: RFC 4180, section 3; as IANA registered it; JSON Lines. */
export const TABLE_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
  jsonl: 'application/jsonl; charset=utf-8',
} as const satisfies Readonly<Record<TableFormat, string>>;

/**
 * The bytes of a table with these columns and the rows of all pages, in their order. A page is read when what was written
 * of the pages before was taken, and the memory that is needed does not grow with the number of pages, but for the places
 * of the parts of a Parquet file, which are at its end.
 * @throws what a page throws
 */
export type WriteTable = <Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
) => AsyncGenerator<string | Uint8Array>;

/** A file as it was stored: its parts in their order; null after the last one. */
export interface StoredFile {
  readonly bytes: number;
  part(number: number): Promise<Uint8Array | null>;
}

/**
 * The rows of a file, some at a time: their cells in the order of the columns, as the file has them.
 * @param names of the columns
 * @throws Error for a file that is no table of these columns, or that a strict reader refuses
 */
export type ReadTable = (names: readonly string[], file: StoredFile) => AsyncGenerator<readonly (readonly unknown[])[]>;

export type TableReaders = Readonly<Record<'parquet' | 'jsonl', ReadTable>>;

export type TableWriters = Readonly<Record<TableFormat, WriteTable>>;

/** The columns as a table of Markdown: the data dictionary. */
export function dictionaryOf(columns: readonly Omit<TableColumn<never>, 'of'>[]): string {
  const lines = columns.map(({ name, kind, description }) => `| \`${name}\` | ${kind} | ${description} |`);
  return ['| Column | Kind | Meaning |', '|---|---|---|', ...lines].join('\n');
}
