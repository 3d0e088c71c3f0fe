import { type AsyncBuffer, parquetMetadataAsync, parquetRead } from 'hyparquet';
import type { ReadTable, StoredFile, TableReaders } from '../../../domain/table.ts';
import { assertTypedLists } from './thrift-lists.ts';

/** Read back what `tableWriters` wrote: the rows as their cells, dates as such, with the texts of JSON cells parsed. */
export const tableReaders: TableReaders = { parquet: parquetRows, jsonl: jsonRows };

/** A row group at a time: that many rows are in memory. */
async function* parquetRows(names: readonly string[], file: StoredFile): ReturnType<ReadTable> {
  const buffer = asBuffer(file);
  await assertReadableFooter(buffer);
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
