/** A file of an archive, made while the archive is read. */
export interface ArchiveFile {
  /** ASCII, without folders. */
  readonly name: string;
  readonly pieces: () => AsyncIterable<string>;
}

/**
 * The bytes of a zip with these files, in this order. It reads a file when the files before it are written, and no faster
 * than its bytes are taken; it ends the file that it reads when it is ended. Archives and files may have any size (Zip64).
 * @param at the time that the files have in it
 * @throws what a file throws
 */
export type WriteZip = (files: readonly ArchiveFile[], at: Date) => AsyncGenerator<Uint8Array>;

/** A file in an archive, by its directory (APPNOTE.TXT 4.3.12); sizes are in bytes. */
export interface ZipMember {
  /** With its folders. */
  readonly name: string;
  /** 0: as it is; 8: deflated. */
  readonly method: number;
  readonly isEncrypted: boolean;
  /** CRC-32 of what is unpacked. */
  readonly checksum: number;
  readonly packed: number;
  readonly size: number;
  /** Where its local header begins. */
  readonly at: number;
}

/** All files of an archive, Zip64 or not. @throws RangeError for an archive that is damaged or cut off */
export function membersOfZip(zip: Uint8Array): readonly ZipMember[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  let { at, count } = directoryOf(view);
  const members: ZipMember[] = [];
  for (; count > 0; count -= 1) {
    if (view.getUint32(at, true) !== ENTRY) throw new RangeError('The directory of the zip is damaged.');
    const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const extra = at + 46 + nameLength;
    const [size, packed, header] = longSizes(
      view,
      extra,
      extra + extraLength,
      [24, 20, 42].map((place) => view.getUint32(at + place, true)),
    );
    members.push({
      name: new TextDecoder().decode(zip.subarray(at + 46, extra)),
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      checksum: view.getUint32(at + 16, true),
      packed: packed ?? 0,
      size: size ?? 0,
      at: header ?? 0,
    });
    at = extra + extraLength + view.getUint16(at + 32, true);
  }
  return members;
}

/** The packed bytes of a member, after its local header. @throws RangeError */
export function packedBytes(zip: Uint8Array, { at, packed }: ZipMember): Uint8Array {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  if (view.getUint32(at, true) !== LOCAL) throw new RangeError('A header in the zip is damaged.');
  const from = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  return zip.subarray(from, from + packed);
}

const [LOCAL, ENTRY, END, END_64, LOCATOR_64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
const [LONG_16, LONG_32] = [0xffff, 0xffff_ffff];

/** Where the directory begins and how many entries it has: by the last record of the end, before a comment of 64 KiB at most. */
function directoryOf(view: DataView): { readonly at: number; readonly count: number } {
  for (let end = view.byteLength - 22; end >= Math.max(0, view.byteLength - 22 - LONG_16); end -= 1) {
    if (view.getUint32(end, true) !== END) continue;
    const [count, at] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
    if ((count !== LONG_16 && at !== LONG_32) || view.getUint32(end - 20, true) !== LOCATOR_64) return { at, count };
    const long = Number(view.getBigUint64(end - 12, true));
    if (view.getUint32(long, true) !== END_64) break;
    return { at: Number(view.getBigUint64(long + 48, true)), count: Number(view.getBigUint64(long + 32, true)) };
  }
  throw new RangeError('The zip has no end.');
}

/** The sizes of an entry, of which those of all ones are in its extra field with the number 1, in this order. */
function longSizes(view: DataView, from: number, to: number, sizes: readonly number[]): readonly number[] {
  for (let at = from; sizes.includes(LONG_32) && at + 4 <= to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    let next = at + 4;
    return sizes.map((size) => {
      if (size !== LONG_32) return size;
      next += 8;
      return Number(view.getBigUint64(next - 8, true));
    });
  }
  return sizes;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The checksum of ISO 3309, which archives have of each file; browsers have none. */
export function crc32(bytes: Uint8Array): number {
  let value = LONG_32;
  for (const byte of bytes) value = (CRC_TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ LONG_32) >>> 0;
}
