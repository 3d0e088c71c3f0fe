import { crc32, membersOfZip, packedBytes, type ZipMember } from '../../../domain/zip.ts';
import { ImportError } from './found.ts';

/** Bytes that a file may have when it is unpacked. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** The texts of a file: one, or several of a zip. */
export interface OpenedFile {
  /** The file's own name, without folders. */
  readonly name: string;
  /** By the names in the zip; a file that is no zip has its own name. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads a file in UTF-8 or UTF-16, alone, in gzip, or in a zip, of which the texts are read that may contain trades.
 * @param member the one of a zip that is read
 * @throws ImportError for what is no text, and for files that are too large
 */
export async function openFile(name: string, bytes: Uint8Array, member?: string): Promise<OpenedFile> {
  const own = name.replace(/^.*[\\/]/, '');
  if (begins(bytes, 'PK\u0003\u0004')) return { name: own, texts: await textsIn(bytes, member) };
  if (member !== undefined) throw new ImportError('--member is for a zip, and this file is none.');
  const unpacked = begins(bytes, '\u001f\u008b') ? await inflated(bytes, 'gzip', own) : bytes;
  if (unpacked.length > MOST_BYTES) throw tooLarge(own);
  return { name: own, texts: new Map([[own, textOf(unpacked, own)]]) };
}

function tooLarge(name: string): ImportError {
  return new ImportError(`${name} has more than 64 MiB unpacked. Split it, and import the parts into one set.`);
}

function begins(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((letter, index) => bytes[index] === letter.charCodeAt(0));
}

const REFUSED: readonly {
  readonly is: (bytes: Uint8Array) => boolean;
  readonly what: string;
  readonly send: string;
}[] = [
  {
    is: (bytes) => bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 0) <= 5,
    what: 'a pickle, which can run programs when it is opened',
    send: 'Write the trades as CSV (DataFrame.to_csv) or JSON.',
  },
  { is: (bytes) => begins(bytes, 'PAR1'), what: 'Parquet', send: 'Write it as CSV: DataFrame.to_csv() does.' },
  {
    is: (bytes) => begins(bytes, 'ARROW1') || begins(bytes, 'FEA1'),
    what: 'Feather',
    send: 'Write it as CSV: DataFrame.to_csv() does.',
  },
  { is: (bytes) => begins(bytes, '\u0089HDF'), what: 'HDF5', send: 'Write the trades as CSV.' },
  { is: (bytes) => begins(bytes, 'SQLite format 3'), what: 'a database of SQLite', send: 'Export its trades as CSV.' },
  { is: (bytes) => begins(bytes, '\u00d0\u00cf\u0011\u00e0'), what: 'a workbook', send: 'Save its sheet as CSV.' },
  { is: (bytes) => begins(bytes, '%PDF'), what: 'a PDF', send: 'Export the trades as CSV.' },
];

/** @throws ImportError for what is no text */
function textOf(bytes: Uint8Array, name: string): string {
  const refused = REFUSED.find(({ is }) => is(bytes));
  if (refused) throw new ImportError(`${name} is ${refused.what}. ${refused.send}`);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ImportError(`${name} is neither UTF-8 nor UTF-16. Save it as UTF-8.`);
  }
}

/** Those that are not read: sources, notes of macOS, and what cannot have trades. */
const IS_TEXT = /\.(json|jsonl|csv|tsv|txt|md)$/i;
const IS_NOTE = /(^|\/)(__MACOSX\/|\._)/;

async function textsIn(zip: Uint8Array, member: string | undefined): Promise<ReadonlyMap<string, string>> {
  const members = whole(() => membersOfZip(zip));
  if (members.some(({ name }) => name === '[Content_Types].xml')) {
    throw new ImportError('This is a workbook of a spreadsheet. Save its sheet as CSV.');
  }
  const wanted = members.filter(({ name }) =>
    member === undefined ? IS_TEXT.test(name) && !IS_NOTE.test(name) : name === member,
  );
  if (wanted.length === 0) {
    const names = members.map(({ name }) => name).slice(0, 10);
    throw new ImportError(`The zip has no ${member ?? 'file of JSON, CSV or text'}: it has ${names.join(', ')}.`);
  }
  let left = MOST_BYTES;
  const texts = new Map<string, string>();
  for (const each of wanted) {
    const bytes = await unpacked(zip, each, left);
    left -= bytes.length;
    texts.set(each.name, textOf(bytes, each.name));
  }
  return texts;
}

const BROKEN = 'The zip is damaged or cut off. Get it again.';

/** @throws ImportError where `read` finds the zip damaged */
function whole<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? new ImportError(BROKEN) : error;
  }
}

/** The bytes of a member, which its size and checksum must fit. */
async function unpacked(zip: Uint8Array, member: ZipMember, most: number): Promise<Uint8Array> {
  const { name, size, method, checksum } = member;
  if (member.isEncrypted) throw new ImportError(`${name} is encrypted. Unpack the zip, and import the file.`);
  if (method !== 0 && method !== 8) {
    throw new ImportError(`${name} is packed by method ${method}. Unpack the zip first.`);
  }
  if (size > most) throw tooLarge(name);
  const packed = whole(() => packedBytes(zip, member));
  const bytes = method === 0 ? packed : await inflated(packed, 'deflate-raw', name, size);
  if (bytes.length !== size || crc32(bytes) !== checksum) throw new ImportError(BROKEN);
  return bytes;
}

/** @throws ImportError for damaged bytes, and for more than `most` unpacked ones */
async function inflated(
  bytes: Uint8Array,
  format: 'gzip' | 'deflate-raw',
  name: string,
  most = MOST_BYTES,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const source = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  try {
    for await (const piece of source.pipeThrough(new DecompressionStream(format))) {
      length += piece.length;
      if (length > most) throw tooLarge(name);
      pieces.push(piece);
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError(`${name} cannot be unpacked: it is damaged or cut off. Get it again.`);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
