import { crc32, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { membersOfZip } from '../../../../domain/zip.ts';

/** A file of somebody else's that is not read; the message says why, and what to send instead. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
}

/** Decompressed bytes that are read at most. */
export const MOST_BYTES = 1 << 29;

/** Packings around each other that are opened: a file that contains itself would never end. */
const MOST_LAYERS = 3;

/** The bytes of the file that is packed. @throws RefusedFile */
export function unpack(bytes: Uint8Array, member: string | undefined, layers = 0): Uint8Array {
  const packing = PACKINGS.find(({ magic }) => begins(bytes, magic));
  if (!packing) return bytes;
  if (layers === MOST_LAYERS) throw new RefusedFile('The file is packed more than three times. Unpack it first.');
  try {
    return unpack(packing.open(bytes, member), undefined, layers + 1);
  } catch (error) {
    if (error instanceof RefusedFile) throw error;
    const why = (error as Error).message;
    throw new RefusedFile(
      `The file cannot be unpacked (${why}): it is cut off, or larger than ${MOST_BYTES} bytes. Send it whole, or in parts.`,
    );
  }
}

const PACKINGS: readonly {
  readonly magic: string;
  readonly open: (bytes: Uint8Array, member: string | undefined) => Uint8Array;
}[] = [
  { magic: '\u001f\u008b', open: (bytes) => gunzipSync(bytes, { maxOutputLength: MOST_BYTES }) },
  { magic: '\u0028\u00b5\u002f\u00fd', open: (bytes) => zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES }) },
  { magic: 'PK\u0003\u0004', open: memberOf },
];

function memberOf(zip: Uint8Array, member: string | undefined): Uint8Array {
  const names: string[] = [];
  unzipSync(zip, { filter: ({ name }) => names.push(name) < 0 });
  if (names.includes('[Content_Types].xml') || names.includes('content.xml'))
    throw new RefusedFile('This is a workbook of a spreadsheet. Save the sheet as CSV and send that.');
  // macOS puts a note of its own next to each file.
  const isTable = (name: string) =>
    /\.(csv|txt|tsv|json|jsonl|gz|zst|parquet|feather|arrow)$/i.test(name) && !/(^|\/)(__MACOSX\/|\._)/.test(name);
  const [only, ...others] = names.filter((name) => (member === undefined ? isTable(name) : name === member));
  if (only === undefined || others.length > 0) {
    const list = `${names.slice(0, 10).join(', ')}${names.length > 10 ? ' ...' : ''}`;
    throw new RefusedFile(`This is a zip of ${names.length} files: ${list}. Name one with --member.`);
  }
  const files = unzipSync(zip, { filter: ({ name, originalSize }) => name === only && originalSize <= MOST_BYTES });
  const found = files[only];
  if (!found) throw new RefusedFile(`${only} in the zip has more than ${MOST_BYTES} bytes. Send a part of it.`);
  // fflate does not compare it: a changed byte would be another price. Both list the files in the order of the directory.
  if (membersOfZip(zip)[names.indexOf(only)]?.checksum !== crc32(found)) {
    throw new RefusedFile(`The zip is damaged: the checksum of ${only} is another one. Get it again.`);
  }
  return found;
}

export function begins(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((letter, index) => bytes[index] === letter.charCodeAt(0));
}

const FORMS_NOT_READ: readonly {
  readonly is: (bytes: Uint8Array) => boolean;
  readonly what: string;
  readonly send: string;
}[] = [
  {
    is: (bytes) => begins(bytes, 'FEA1'),
    what: 'This is a Feather file of version 1',
    send: 'Write it anew as version 2, as DataFrame.to_feather() of today does, or send CSV or Parquet.',
  },
  {
    is: (bytes) => begins(bytes, '\u00ff\u00ff\u00ff\u00ff'),
    what: 'This is a stream of Arrow',
    send: 'Send a file: DataFrame.to_feather() or pyarrow.feather.write_feather() make one.',
  },
  {
    is: (bytes) => bytes[0] === 0x80 && (bytes[1] ?? 0) >= 2 && (bytes[1] ?? 0) <= 5,
    what: 'This is a pickle, which can run programs when it is opened',
    send: 'Send CSV: DataFrame.to_csv() makes it.',
  },
  {
    is: (bytes) => begins(bytes, '\u0089HDF'),
    what: 'This is an HDF5 file',
    send: 'Send CSV, JSON or Parquet.',
  },
  ...(
    [
      ['BZh', 'bzip2'],
      ['\u00fd7zXZ', 'xz'],
      ['7z\u00bc\u00af', '7-Zip'],
      ['Rar!', 'RAR'],
    ] as const
  ).map(([magic, name]) => ({
    is: (bytes: Uint8Array) => begins(bytes, magic),
    what: `This file is packed with ${name}`,
    send: 'Unpack it, or pack it with gzip, zstd or zip.',
  })),
  {
    is: (bytes) => begins(bytes, '\u00d0\u00cf\u0011\u00e0'),
    what: 'This is a workbook of an older spreadsheet',
    send: 'Save the sheet as CSV and send that.',
  },
  {
    is: (bytes) => begins(bytes, 'DBN'),
    what: 'This is a file in the binary encoding of Databento',
    send: 'Ask Databento for the encoding csv, or write it with to_csv().',
  },
  {
    is: (bytes) => begins(bytes, 'SQLite format 3'),
    what: 'This is a database of SQLite',
    send: 'Export the table of bars as CSV.',
  },
  {
    is: (bytes) =>
      /^(\u00ef\u00bb\u00bf)?\s*<(!doctype|html|\?xml|table)/i.test(
        Buffer.from(bytes.subarray(0, 200)).toString('latin1'),
      ),
    what: 'This is a page of HTML or XML, such as that of a login or an error',
    send: 'Download the file anew, or save its table as CSV.',
  },
];

/** @throws RefusedFile for what is no text and no packing that is read */
export function refuseOtherForms(bytes: Uint8Array): void {
  const found = FORMS_NOT_READ.find(({ is }) => is(bytes));
  if (found) throw new RefusedFile(`${found.what}. ${found.send}`);
}

/** The text of a file in UTF-8, in UTF-16 with or without its mark, or in an encoding of East Asia that its header shows. */
export function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || hasZeros(bytes, 1)) return new TextDecoder('utf-16le').decode(bytes);
  if ((first === 0xfe && second === 0xff) || hasZeros(bytes, 0)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const known = EAST_ASIAN.find(({ encoding, word }) =>
      word.test(new TextDecoder(encoding).decode(bytes.subarray(0, 4_096))),
    );
    // Tables of Chinese spreadsheets.
    return new TextDecoder(known?.encoding ?? 'gb18030').decode(bytes);
  }
}

/** Each with a word that a header of prices has in it. */
const EAST_ASIAN = [
  { encoding: 'euc-kr', word: /\uc885\uac00/ },
  { encoding: 'shift_jis', word: /\u7d42\u5024/ },
] as const;

/** Whether every second byte is zero, as in UTF-16 of Latin letters. */
function hasZeros(bytes: Uint8Array, from: 0 | 1): boolean {
  const head = bytes.subarray(0, 200).filter((_, index) => index % 2 === from);
  return head.length > 4 && head.filter((byte) => byte === 0).length > 0.8 * head.length;
}
