/** Random numbers that a seed determines. */
export interface Random {
  /** In [0, 1). */
  fraction(): number;
  /** A whole number in [0, below). */
  below(below: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** The same numbers for the same seed (mulberry32), so that a run can be repeated. */
export function randomFrom(seed: string): Random {
  let state = hash(seed);
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { fraction, below, pick: (from) => from[below(from.length)] ?? from[0] };
}

/** FNV-1a, so that seeds which look alike start far apart. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const letter of text) value = Math.imul(value ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return value;
}
