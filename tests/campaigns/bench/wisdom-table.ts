/** Milliseconds. */
export interface Reading {
  readonly time: number;
  /** Of the database. */
  readonly cpu: number;
}

export const HEADER = [
  `${''.padEnd(24)}       p50, ms                    CPU of the database, ms     counting records`,
  `${''.padEnd(24)}  small   large  large/small   small   large  large/small        ms  times slower`,
].join('\n');

export function lineOf(name: string, small: Reading, large: Reading, counted: number): string {
  const cells: readonly [number, number, number][] = [
    [small.time, 2, 7],
    [large.time, 2, 7],
    [large.time / small.time, 2, 12],
    [small.cpu, 2, 7],
    [large.cpu, 2, 7],
    [large.cpu / small.cpu, 2, 12],
    [counted, 1, 9],
    [counted / large.time, 1, 13],
  ];
  return [name.padEnd(24), ...cells.map(([value, digits, width]) => value.toFixed(digits).padStart(width))].join(' ');
}

export function medianOf(readings: readonly Reading[]): Reading {
  return { time: median(readings.map(({ time }) => time)), cpu: median(readings.map(({ cpu }) => cpu)) };
}

export function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
