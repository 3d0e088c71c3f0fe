/**
 * Checks that each list in a footer of Parquet says of which type its elements are, also where it has none: readers in Rust
 * refuse other files, and hyparquet reads them. The footer is a struct in the compact protocol of Thrift.
 * @throws Error where one does not
 */
export function assertTypedLists(footer: Uint8Array): void {
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
