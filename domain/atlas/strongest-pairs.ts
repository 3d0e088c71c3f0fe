import type { MonthTally } from './atlas-survey.ts';

/** Two instruments in the order of their keys, and the number of records of both in the months that they share. */
export type Pair = readonly [a: string, b: string, weight: number];

/**
 * The pairs that are among the `most` strongest of at least one of their instruments; ties in the order of the keys.
 */
export function strongestPairs(months: readonly MonthTally[], most: number): readonly Pair[] {
  const keys = [...new Set(months.map(({ instrument }) => instrument))].toSorted();
  const weights = weightsOf(months, keys);
  const strongestCells = new Set<number>();
  for (const place of keys.keys()) {
    for (const other of strongest(weights, keys.length, place, most)) {
      strongestCells.add(Math.min(place, other) * keys.length + Math.max(place, other));
    }
  }
  return [...strongestCells]
    .toSorted((a, b) => a - b)
    .map((cell) => [keys[Math.floor(cell / keys.length)] ?? '', keys[cell % keys.length] ?? '', weights[cell] ?? 0]);
}

/** A square matrix: instruments are few, while the pairs of a month are many. */
function weightsOf(months: readonly MonthTally[], keys: readonly string[]): Float64Array {
  const places = new Map(keys.map((key, place) => [key, place]));
  const weights = new Float64Array(keys.length ** 2);
  for (const together of Map.groupBy(months, ({ month }) => month.getTime()).values()) {
    const listed = together.map(({ instrument, samples }) => [places.get(instrument) ?? 0, samples] as const);
    for (const [a, ofA] of listed) {
      for (const [b, ofB] of listed) {
        const cell = a * keys.length + b;
        if (a !== b) weights[cell] = (weights[cell] ?? 0) + ofA + ofB;
      }
    }
  }
  return weights;
}

function strongest(weights: Float64Array, size: number, place: number, most: number): number[] {
  const row = weights.subarray(place * size, (place + 1) * size);
  const linked = [...row.keys()].filter((other) => (row[other] ?? 0) > 0);
  return linked.toSorted((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b).slice(0, most);
}
