/** One measurement, or the median of several. */
export interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU per request, of the server and the database together. Other load changes it less than time. */
  readonly cpu: number;
}

export function medianOf(rounds: readonly Measured[]): Measured {
  const middle = (field: keyof Measured) => median(rounds.map((round) => round[field]));
  return { perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99'), cpu: middle('cpu') };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[half]];
  return (low + high) / 2;
}

/** A table of the subject against its references, the subject first. */
export function tableOf(rows: ReadonlyMap<string, Measured>, ratio = 'service against it'): string {
  const [subject] = rows.values();
  const width = Math.max(...[...rows.keys()].map((name) => name.length));
  const lines = [...rows].map(([name, { perSecond, p50, p99, cpu }]) =>
    [
      name.padEnd(width),
      perSecond.toFixed(0).padStart(9),
      p50.toFixed(1).padStart(8),
      p99.toFixed(1).padStart(8),
      cpu.toFixed(0).padStart(8),
      ((subject?.perSecond ?? 0) / perSecond).toFixed(2).padStart(ratio.length),
    ].join(' '),
  );
  return [`${''.padEnd(width)} per second  p50 ms  p99 ms   CPU us  ${ratio}`, ...lines].join('\n');
}
