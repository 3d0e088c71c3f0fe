import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { CompressionType, type DataType, setCompressionCodec, Type, tableFromIPC } from '@uwdata/flechette';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { utcDate } from '../../../../domain/time.ts';

/** A row by the names of its columns. */
export type ColumnarRow = Readonly<Record<string, unknown>>;

/**
 * The rows of a Parquet file. Moments are dates; times without a zone are texts without `Z`, dates and clocks texts, decimals
 * the numbers next to them.
 * @throws Error where the file is broken, or compressed in a way that is not known here
 */
export async function parquetRows(bytes: Uint8Array, most: number): Promise<readonly ColumnarRow[]> {
  const file = bytes.slice().buffer;
  const metadata = parquetMetadata(file);
  const within = (length: number) => ({ maxOutputLength: Math.min(length, most) });
  const compressors = {
    GZIP: (input: Uint8Array, length: number) => gunzipSync(input, within(length)),
    BROTLI: (input: Uint8Array, length: number) => brotliDecompressSync(input, within(length)),
    ZSTD: (input: Uint8Array, length: number) => zstdDecompressSync(input, within(length)),
  };
  const columns = parquetSchema(metadata).children.map(({ element }) => element);
  const readers = new Map(columns.map((element) => [element.name, parquetCell(element)]));
  const schema = metadata.schema.map((element) =>
    columns.includes(element) && isDecimal(element) ? withoutMeaning(element) : element,
  );
  const rows = await parquetReadObjects({ file, metadata: { ...metadata, schema }, compressors, utf8: false });
  return rows.map((row) => mapped(row, (name) => readers.get(name)));
}

type Read = (value: unknown) => unknown;

type ParquetElement = ReturnType<typeof parquetMetadata>['schema'][number];

function isDecimal({ logical_type, converted_type }: ParquetElement): boolean {
  return logical_type?.type === 'DECIMAL' || converted_type === 'DECIMAL';
}

/** Of a column whose cells come as they are stored: the library multiplies decimals, which makes 0.35000000000000003 of 0.35. */
function withoutMeaning({ logical_type: _, converted_type: __, ...stored }: ParquetElement): ParquetElement {
  return stored;
}

function parquetCell(element: ParquetElement): Read | undefined {
  const { type, logical_type, converted_type, scale } = element;
  if (isDecimal(element)) return decimalOf(scale ?? (logical_type?.type === 'DECIMAL' ? logical_type.scale : 0));
  if (logical_type?.type === 'DATE' || converted_type === 'DATE') return dateText;
  if (logical_type?.type === 'TIMESTAMP' && !logical_type.isAdjustedToUTC) return localText;
  if (logical_type?.type === 'TIME') return clockText({ MILLIS: 3, MICROS: 6, NANOS: 9 }[logical_type.unit]);
  if (converted_type === 'TIME_MILLIS' || converted_type === 'TIME_MICROS')
    return clockText(converted_type === 'TIME_MILLIS' ? 3 : 6);
  if (type === 'BYTE_ARRAY') return textOf;
  return type === 'FLOAT' ? shortest : undefined;
}

function mapped(row: ColumnarRow, readOf: (name: string) => Read | undefined): ColumnarRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readOf(name)?.(value) ?? value]));
}

/**
 * The rows of an Arrow file (Feather version 2), as those of Parquet.
 * @throws Error where the file is broken, or larger than `most` bytes once it is decompressed
 */
export function arrowRows(bytes: Uint8Array, most: number): readonly ColumnarRow[] {
  assertWholeArrow(bytes);
  useCodecs(most);
  const table = tableFromIPC(bytes, { useBigInt: true, useDecimalInt: true });
  if (table.numRows * 8 > most) throw new Error(`it has more than ${most} bytes`);
  const columns = table.schema.fields.map(({ name, type }) => {
    const read = arrowCell(type);
    return { name, cells: Array.from(table.getChild(name).toArray(), (cell: unknown) => (read ? read(cell) : cell)) };
  });
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(columns.map(({ name, cells }) => [name, cells[row]])),
  );
}

/** A file ends with its footer, the length of that and `ARROW1`. */
function assertWholeArrow(bytes: Uint8Array): void {
  const end = bytes.length - 10;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = end > 8 ? view.getInt32(end, true) : 0;
  if (length <= 0 || length > end - 8 || Buffer.from(bytes.subarray(end + 4)).toString('latin1') !== 'ARROW1')
    throw new Error('it is cut off');
}

/** The library has one codec of each kind. It reads without a pause, so no two files share a budget. */
function useCodecs(most: number): void {
  let left = most;
  const decode = (read: (input: Uint8Array, length: number) => Uint8Array) => (input: Uint8Array, length?: number) => {
    left -= length ?? most + 1;
    if (left < 0 || (length ?? 0) < 0) throw new Error(`it has more than ${most} bytes`);
    return read(input, length ?? 0);
  };
  const encode = () => {
    throw new Error('Arrow files are only read here.');
  };
  setCompressionCodec(CompressionType.LZ4_FRAME, { encode, decode: decode(decompressLz4Frame) });
  const zstd = (input: Uint8Array, length: number) => zstdDecompressSync(input, { maxOutputLength: length || 1 });
  setCompressionCodec(CompressionType.ZSTD, { encode, decode: decode(zstd) });
}

function arrowCell(type: DataType): Read | undefined {
  if (type.typeId === Type.Dictionary && 'dictionary' in type) return arrowCell(type.dictionary);
  if (type.typeId === Type.Timestamp) return 'timezone' in type && type.timezone ? momentOf : localText;
  if (type.typeId === Type.Date) return dateText;
  if (type.typeId === Type.Time && 'unit' in type) return clockText(3 * type.unit);
  if (type.typeId === Type.Decimal && 'scale' in type) return decimalOf(type.scale);
  return type.typeId === Type.Float && 'precision' in type && type.precision === 1 ? shortest : undefined;
}

/** Of integers, or their bytes with the highest first: the number nearest to the decimal with its point set. */
function decimalOf(scale: number): Read {
  return (value) => {
    const whole = value instanceof Uint8Array ? integerOf(value) : value;
    return typeof whole === 'bigint' || typeof whole === 'number' ? Number(`${whole}e${-scale}`) : value;
  };
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x0${Buffer.from(bytes).toString('hex')}`));
}

/** Of a count since midnight with so many digits below seconds. Local clocks are marked as UTC, too, so no mark is read. */
function clockText(digits: number): Read {
  return (value) => {
    if (typeof value !== 'bigint' && typeof value !== 'number') return value;
    const seconds = Math.floor(Number(value) / 10 ** digits);
    const parts = [seconds / 3_600, (seconds / 60) % 60, seconds % 60];
    return parts.map((part) => String(Math.trunc(part)).padStart(2, '0')).join(':');
  };
}

function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}

function momentOf(value: unknown): unknown {
  return typeof value === 'number' ? new Date(value) : value;
}

/** Of a time without a zone, which comes as if it were UTC. */
function localText(value: unknown): unknown {
  const at = momentOf(value);
  return at instanceof Date ? at.toISOString().slice(0, -1) : at;
}

function dateText(value: unknown): unknown {
  const at = momentOf(value);
  return at instanceof Date ? utcDate(at.getTime()) : at;
}

/** A number of 32 bits as it was written: 43.06, where its bits say 43.06000137329102. */
function shortest(value: unknown): unknown {
  if (typeof value !== 'number') return value;
  const digits = [6, 7, 8, 9].map((count) => Number(value.toPrecision(count)));
  return digits.find((each) => Math.fround(each) === value) ?? value;
}

const MAGIC = 0x184d2204;
const INDEPENDENT_OR_LINKED_VERSION = 1;
/** Of the flags: a checksum after each block, the length of the content, a checksum after all, a dictionary. */
const [BLOCK_SUMS, CONTENT_LENGTH, DICTIONARY] = [0x10, 0x08, 0x01];
const STORED = 0x8000_0000;
const SHORTEST_MATCH = 4;

/**
 * The content of one frame of LZ4, of which the length is known. Blocks may repeat what is in those before them, as in
 * the files that Arrow writes. Checksums are not compared.
 * @throws Error where the frame is broken
 */
export function decompressLz4Frame(frame: Uint8Array, length: number): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const content = new Uint8Array(length);
  const flags = frame[4] ?? 0;
  if (frame.length < 11 || view.getUint32(0, true) !== MAGIC || flags >> 6 !== INDEPENDENT_OR_LINKED_VERSION)
    throw broken();
  if ((flags & DICTIONARY) !== 0) throw new Error('it needs a dictionary');
  let at = (flags & CONTENT_LENGTH) === 0 ? 7 : 15;
  let written = 0;
  for (;;) {
    const head = view.getUint32(at, true);
    at += 4;
    if (head === 0) break;
    const size = head & ~STORED;
    const block = frame.subarray(at, at + size);
    if (block.length !== size) throw broken();
    written = (head & STORED) === 0 ? expand(block, content, written) : store(block, content, written);
    at += size + ((flags & BLOCK_SUMS) === 0 ? 0 : 4);
  }
  if (written !== length) throw broken();
  return content;
}

function broken(): Error {
  return new Error('a part of it that is compressed with LZ4 is broken');
}

function store(block: Uint8Array, content: Uint8Array, from: number): number {
  if (from + block.length > content.length) throw broken();
  content.set(block, from);
  return from + block.length;
}

/** Writes a block, which is literals and repetitions of what was written, and returns where it ends. */
function expand(block: Uint8Array, content: Uint8Array, from: number): number {
  let [at, written] = [0, from];
  const lengthFrom = (nibble: number): number => {
    let [sum, byte] = [nibble, nibble === 15 ? 255 : 0];
    for (; byte === 255; sum += byte) {
      byte = block[at] ?? 0;
      at += 1;
    }
    return sum;
  };
  while (at < block.length) {
    const token = block[at] ?? 0;
    at += 1;
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw broken();
    written = store(block.subarray(at, at + literals), content, written);
    at += literals;
    if (at === block.length) return written;
    const distance = (block[at] ?? 0) + 256 * (block[at + 1] ?? 0);
    at += 2;
    const end = written + lengthFrom(token & 15) + SHORTEST_MATCH;
    if (distance === 0 || distance > written || end > content.length) throw broken();
    // A repetition may overlap itself.
    for (; written < end; written += 1) content[written] = content[written - distance] ?? 0;
  }
  return written;
}
