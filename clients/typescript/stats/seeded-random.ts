/**
 * Whole numbers in [0, below), the same for the same seed in every client: xoshiro128** 1.1 (D. Blackman, S. Vigna,
 * "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021). Its state is the MurmurHash3 finaliser of four
 * numbers after the seed. A number is the high word of draw * below, so that its probability is right to 2^-32 * below.
 * @param seed a whole number from 0 to 2^32 - 1
 * @throws RangeError
 */
export function seededDraws(seed: number): (below: number) => number {
  if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) {
    throw new RangeError('seed must be a whole number from 0 to 4294967295.');
  }
  const next = xoshiro128([1, 2, 3, 4].map((step) => mixed(seed + Math.imul(step, 0x9e3779b9))));
  return (below) => Math.floor((next() * below) / 2 ** 32);
}

/** Draws of 32 bits. @param state four words of 32 bits, not all 0 */
export function xoshiro128([s0 = 0, s1 = 0, s2 = 0, s3 = 0]: readonly number[]): () => number {
  return () => {
    const drawn = Math.imul(rotated(Math.imul(s1, 5), 7), 9) >>> 0;
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotated(s3, 11);
    return drawn;
  };
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}
