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
