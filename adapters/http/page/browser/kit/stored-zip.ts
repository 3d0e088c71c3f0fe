import { crc32 } from './domain.ts';

const [LOCAL, ENTRY, END] = [0x04034b50, 0x02014b50, 0x06054b50];

/** Names are UTF-8 (APPNOTE.TXT 4.4.4). */
const UTF_8 = 0x0800;

/** 1 January 1980, the first date that an archive can state: what is in it has times of its own. */
const FIRST_DATE = 0x21;

/** A zip of texts as they are, without compression: for files of less than 4 GiB together. */
export function storedZip(files: readonly { readonly name: string; readonly text: string }[]): Blob {
  const encoder = new TextEncoder();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const file of files) {
    const [name, bytes] = [encoder.encode(file.name), encoder.encode(file.text)];
    const facts = [
      20,
      UTF_8,
      0,
      0,
      FIRST_DATE,
      [crc32(bytes)],
      [bytes.length],
      [bytes.length],
      name.length,
      0,
    ] as const;
    const local = [numbers([[LOCAL], ...facts]), name, bytes];
    directory.push(numbers([[ENTRY], 20, ...facts, 0, 0, 0, [0], [at]]), name);
    at += sizeOf(local);
    parts.push(...local);
  }
  const end = numbers([[END], 0, 0, files.length, files.length, [sizeOf(directory)], [at], 0]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}

/** Little-endian: a number of two bytes, or in brackets of four. */
function numbers(values: readonly (number | readonly [number])[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    values.flatMap((value) =>
      typeof value === 'number'
        ? [value & 0xff, (value >>> 8) & 0xff]
        : [0, 8, 16, 24].map((shift) => (value[0] >>> shift) & 0xff),
    ),
  );
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
