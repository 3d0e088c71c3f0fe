/** A source of chance: the same seed gives the same numbers. */
export interface Chance {
  /** In [0, 1). */
  uniform(): number;
  /** From N(0, 1). */
  normal(): number;
  /** From an exponential distribution of that mean. */
  waiting(mean: number): number;
}

/** The generator mulberry32. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    waiting: (mean) => -mean * Math.log(1 - uniform()),
  };
}
