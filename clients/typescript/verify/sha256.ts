/**
 * SHA-256 (FIPS 180-4) of the parts, one after the other; a text counts as its UTF-8 bytes. Browsers have it only as a
 * promise, and the same file must run there.
 */
export function sha256(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const message = padded(parts.map((part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part)));
  const hash = FIRST_HASH.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < message.byteLength; block += 64) {
    for (let t = 0; t < 16; t += 1) words[t] = message.getUint32(block + 4 * t);
    compress(hash, words);
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of hash.entries()) digest.setUint32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

/** The message, a bit 1, zeros and the length in bits as 64 bits: a multiple of 64 bytes (section 5.1.1). */
function padded(parts: readonly Uint8Array[]): DataView {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(64 * Math.ceil((length + 9) / 64));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setBigUint64(bytes.length - 8, BigInt(length) * 8n);
  return view;
}

/** Section 6.2.2. @param words the 16 words of a block, and room for 48 more */
function compress(hash: Uint32Array, words: Uint32Array): void {
  for (let t = 16; t < 64; t += 1) {
    words[t] =
      mixed(word(words, t - 2), 17, 19, 10) +
      word(words, t - 7) +
      mixed(word(words, t - 15), 7, 18, 3) +
      word(words, t - 16);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let t = 0; t < 64; t += 1) {
    const first = h + rotated(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + word(CONSTANTS, t) + word(words, t);
    const second = rotated(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) hash[i] = word(hash, i) + value;
}

function word(words: Uint32Array, t: number): number {
  return words[t] ?? 0;
}

function rotated(x: number, a: number, b: number, c: number): number {
  return rotate(x, a) ^ rotate(x, b) ^ rotate(x, c);
}

function mixed(x: number, a: number, b: number, shift: number): number {
  return rotate(x, a) ^ rotate(x, b) ^ (x >>> shift);
}

function rotate(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

const PRIMES = Array.from({ length: 310 }, (_, n) => n + 2).filter((n) => isPrime(n));

function isPrime(n: number): boolean {
  for (let divisor = 2; divisor * divisor <= n; divisor += 1) if (n % divisor === 0) return false;
  return true;
}

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
const CONSTANTS = Uint32Array.from(PRIMES.slice(0, 64), (prime) => fraction(Math.cbrt(prime)));

/** The same of the square roots of the first 8 primes (section 5.3.3). */
const FIRST_HASH = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));

function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 2 ** 32);
}
