import type { ByteWriter, ParquetWriter, SchemaElement } from 'hyparquet-writer';
import { shownJson } from '../../../domain/shown-text.ts';
import type { Cell, ColumnKind, TableColumn, TableWriters } from '../../../domain/table.ts';

/**
 * A row group ends at the first page that reaches one of these; it is in memory until then. Nothing else runs while it is
 * encoded, for 0.1 to 0.2 s; and what the end says of each group stays in memory.
 */
const GROUP = { rows: 5_000, characters: 2 ** 20 };

/** Fields of the footer in Thrift: no rows, the list of no row groups, and the head of the name of the writer. */
const UNTYPED_GROUPS = Buffer.from([0x16, 0x00, 0x19, 0x00, 0x28]);

const STRUCT = 0x0c;

const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const PARQUET = {
  text: STRING,
  json: STRING,
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
} as const satisfies Readonly<Record<ColumnKind, Partial<SchemaElement>>>;

export const tableWriters: TableWriters = { csv: csvTable, parquet: parquetTable, jsonl: jsonlTable };

/**
 * See `WriteTable`: an object a line with a member for each column, missing values as null, JSON texts as their values.
 * Characters that no reader sees are escapes: some readers end a line at U+2028.
 */
async function* jsonlTable<Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const names = columns.map(({ name }) => JSON.stringify(name));
  for await (const page of pages) {
    const lines = page.map((row) => {
      const members = columns.map(({ kind, of }, n) => `${names[n]}:${written(kind, of(row))}`);
      return `${shownJson(`{${members.join(',')}}`)}\n`;
    });
    if (lines.length > 0) yield lines.join('');
  }
}

function written(kind: ColumnKind, cell: Cell): string {
  return kind === 'json' && typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/**
 * See `WriteTable`: Apache Parquet, compressed with Snappy. All columns are optional; texts and JSON texts are strings,
 * times are UTC timestamps in milliseconds. The file is whole when it ends with its footer.
 */
async function* parquetTable<Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<Uint8Array> {
  const library = await import('hyparquet-writer');
  const bytes = new library.ByteWriter();
  const writer = new library.ParquetWriter({ writer: bytes, schema: schemaOf(columns), createdBy: 'stancebook' });
  let group = emptyGroup(columns);
  for await (const page of pages) {
    for (const row of page) add(group, columns, row);
    if (group.rows < GROUP.rows && group.characters < GROUP.characters) continue;
    writeGroup(writer, columns, group);
    yield taken(bytes);
    group = emptyGroup(columns);
  }
  writeGroup(writer, columns, group);
  writer.finish();
  const end = taken(bytes);
  yield writer.row_groups.length > 0 ? end : withTypedGroups(end);
}

/**
 * A file without rows, of which the list of row groups says that it is one of structs: hyparquet-writer, 0.17.0 and all before,
 * writes an empty list as one of no type, which readers in Rust refuse (findings/parquet-without-rows.sh).
 */
function withTypedGroups(file: Uint8Array): Uint8Array {
  const at = Buffer.from(file.buffer, file.byteOffset, file.byteLength).lastIndexOf(UNTYPED_GROUPS);
  if (at >= 0) file[at + UNTYPED_GROUPS.length - 2] = STRUCT;
  return file;
}

interface RowGroupCells {
  /** By column, in their order. */
  readonly cells: readonly Cell[][];
  rows: number;
  characters: number;
}

function emptyGroup(columns: readonly unknown[]): RowGroupCells {
  return { cells: columns.map(() => []), rows: 0, characters: 0 };
}

function add<Row>(group: RowGroupCells, columns: readonly TableColumn<Row>[], row: Row): void {
  columns.forEach(({ of }, n) => {
    const cell = of(row);
    group.cells[n]?.push(cell);
    if (typeof cell === 'string') group.characters += cell.length;
  });
  group.rows += 1;
}

type ColumnHead = Pick<TableColumn<never>, 'name' | 'kind'>;

function writeGroup(writer: ParquetWriter, columns: readonly ColumnHead[], group: RowGroupCells): void {
  if (group.rows === 0) return;
  // Without an index of pages, and bounds of texts: they would stay in memory to the end, and help no reader.
  const columnData = columns.map(({ name, kind }, n) => {
    return { name, data: group.cells[n] ?? [], offsetIndex: false, statistics: kind !== 'text' && kind !== 'json' };
  });
  writer.write({ columnData, rowGroupSize: group.rows });
}

/** The bytes that were written since the last call. */
function taken(bytes: ByteWriter): Uint8Array {
  const part = bytes.getBytes().slice();
  bytes.index = 0;
  return part;
}

function schemaOf(columns: readonly ColumnHead[]): SchemaElement[] {
  const leaves = columns.map(
    ({ name, kind }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...PARQUET[kind] }),
  );
  return [{ name: 'root', num_children: leaves.length }, ...leaves];
}

/**
 * See `WriteTable`. RFC 4180: a line of names, lines that end with CRLF, quotes doubled within quotes. Texts are always in
 * quotes and nothing else is, so that an empty text (`""`) and a missing value (nothing) differ.
 */
async function* csvTable<Row>(
  columns: readonly TableColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\r\n`;
  for await (const page of pages) {
    const lines = page.map((row) => `${columns.map(({ of }) => csvCell(of(row))).join(',')}\r\n`);
    if (lines.length > 0) yield lines.join('');
  }
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return `"${asText(cell).replaceAll('"', '""')}"`;
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

/** What makes a spreadsheet compute a cell, by OWASP's page on CSV injection, and the mark itself. */
const COMPUTED = /^['=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A text that a spreadsheet would compute begins with an apostrophe, by which spreadsheets know a text. So does a text
 * that begins with an apostrophe: a reader who removes one from the start of each text has what was written.
 */
function asText(text: string): string {
  return COMPUTED.test(text) ? `'${text}` : text;
}
