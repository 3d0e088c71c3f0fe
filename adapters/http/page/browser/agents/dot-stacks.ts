export interface Dot<Each> {
  readonly each: Each;
  /** The middle of its column. */
  readonly x: number;
  /** 0 on the line, 1 above it, and so on. */
  readonly level: number;
}

/** Dots of one width in columns, those of one column one above the other, so that none hides another. */
export function dotStacks<Each>(
  all: readonly Each[],
  placeOf: (each: Each) => number,
  column: number,
): readonly Dot<Each>[] {
  const heights = new Map<number, number>();
  return all
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((each) => {
      const at = Math.floor(placeOf(each) / column);
      const level = heights.get(at) ?? 0;
      heights.set(at, level + 1);
      return { each, x: (at + 0.5) * column, level };
    });
}
