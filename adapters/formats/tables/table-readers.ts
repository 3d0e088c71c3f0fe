import type { AsyncBuffer } from 'hyparquet';
import type { ReadTable, StoredFile, TableReaders } from '../../../domain/table.ts';

/** Read back what `tableWriters` wrote: the rows as their cells, dates as such, with the texts of JSON cells parsed. */
export const tableReaders: TableReaders = { parquet: parquetRows, jsonl: jsonRows };

/** A row group at a time: that many rows are in memory. */
async function* parquetRows(names: readonly string[], file: StoredFile): ReturnType<ReadTable> {
  const buffer = asBuffer(file);
  await assertReadableFooter(buffer);
  const { parquetMetadataAsync, parquetRead } = await import('hyparquet');
  const metadata = await parquetMetadataAsync(buffer);
  const [, ...columns] = metadata.schema;
  if (columns.map(({ name }) => name).join() !== names.join()) throw new Error('The file has other columns.');
  let from = 0;
  for (const group of metadata.row_groups) {
    const until = from + Number(group.num_rows);
    let rows: readonly (readonly unknown[])[] = [];
    const onComplete = (read: readonly (readonly unknown[])[]) => {
      rows = read;
    };
    await parquetRead({ file: buffer, metadata, rowStart: from, rowEnd: until, onComplete });
    if (rows.length !== until - from) throw new Error(`A row group has ${rows.length} rows, not ${until - from}.`);
    yield rows;
    from = until;
  }
  if (from !== Number(metadata.num_rows)) throw new Error('The row groups have not all rows of the file.');
}

/** The file ends with its footer, the length of that and `PAR1`. */
async function assertReadableFooter(file: AsyncBuffer): Promise<void> {
  const end = new DataView(await file.slice(Math.max(0, file.byteLength - 8), file.byteLength));
  if (end.byteLength < 8 || end.getUint32(4, false) !== 0x50415231) throw new Error('The file is not whole.');
  const length = end.getUint32(0, true);
  const from = file.byteLength - 8 - length;
  if (from < 4) throw new Error('The footer is longer than the file.');
  assertTypedLists(new Uint8Array(await file.slice(from, from + length)));
}

/** Where parts begin is known once they were read; one part is in memory at a time. */
function asBuffer({ bytes, part }: StoredFile): AsyncBuffer {
  const begins = [0];
  let held: { readonly number: number; readonly content: Uint8Array } | null = null;
  const contentOf = async (number: number): Promise<Uint8Array> => {
    if (held?.number === number) return held.content;
    const content = await part(number);
    if (content === null) throw new Error(`The file has not the ${bytes} bytes that were written.`);
    begins[number + 1] = (begins[number] ?? 0) + content.length;
    held = { number, content };
    return content;
  };
  const slice = async (start: number, end = bytes): Promise<ArrayBuffer> => {
    const found = new Uint8Array(end - start);
    let number = begins.findLastIndex((begin) => begin <= start);
    for (let at = begins[number] ?? 0; at < end; number += 1) {
      const content = await contentOf(number);
      const [from, until] = [Math.max(start, at), Math.min(end, at + content.length)];
      if (from < until) found.set(content.subarray(from - at, until - at), from - start);
      at += content.length;
    }
    return found.buffer;
  };
  return { byteLength: bytes, slice };
}

async function* jsonRows(names: readonly string[], file: StoredFile): ReturnType<ReadTable> {
  let cut = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let number = 0; ; number += 1) {
    const content = await file.part(number);
    if (content === null) break;
    const lines = `${cut}${decoder.decode(content, { stream: true })}`.split('\n');
    cut = lines.pop() ?? '';
    yield lines.map((line) => cellsOf(names, line));
  }
  if (cut !== '') throw new Error('The last line has no end.');
}

function cellsOf(names: readonly string[], line: string): readonly unknown[] {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  if (Object.keys(row).join() !== names.join()) throw new Error('A line has other members than the columns.');
  return names.map((name) => row[name]);
}

/**
 * Checks that each list in a footer of Parquet says of which type its elements are, also where it has none: readers in Rust
 * refuse other files, and hyparquet reads them. The footer is a struct in the compact protocol of Thrift.
 * @throws Error where one does not
 */
function assertTypedLists(footer: Uint8Array): void {
  const view = new DataView(footer.buffer, footer.byteOffset, footer.byteLength);
  let at = 0;
  skipStruct();

  function byte(): number {
    const value = view.getUint8(at);
    at += 1;
    return value;
  }

  function varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = byte();
      value += (next % 128) * scale;
      if (next < 128) return value;
    }
  }

  function skipStruct(): void {
    for (;;) {
      const head = byte();
      if (head === 0) return;
      if (head < 16) varint();
      skip(head % 16);
    }
  }

  function skipList(): void {
    const head = byte();
    const [type, short] = [head % 16, head >> 4];
    if (!TYPES.has(type)) throw new Error(`A list of the footer has elements of the type ${type}, which there is not.`);
    const size = short === 15 ? varint() : short;
    for (let n = 0; n < size; n += 1) type === TRUE || type === FALSE ? byte() : skip(type);
  }

  function skipBytes(): void {
    const length = varint();
    at += length;
  }

  function skip(type: number): void {
    if (type === TRUE || type === FALSE) return;
    if (type === BYTE) at += 1;
    else if (VARINTS.has(type)) varint();
    else if (type === DOUBLE) at += 8;
    else if (type === BINARY) skipBytes();
    else if (type === LIST || type === SET) skipList();
    else if (type === STRUCT) skipStruct();
    else throw new Error(`A field of the footer has the type ${type}, which no footer has.`);
  }
}

const [TRUE, FALSE, BYTE, DOUBLE, BINARY, LIST, SET, STRUCT] = [1, 2, 3, 7, 8, 9, 10, 12] as const;
const VARINTS: ReadonlySet<number> = new Set([4, 5, 6]);
const TYPES: ReadonlySet<number> = new Set([TRUE, FALSE, BYTE, ...VARINTS, DOUBLE, BINARY, LIST, SET, STRUCT]);
