import type { Measured } from './measured.ts';

export interface Slices {
  /** Measurements of each subject. */
  readonly pairs: number;
  /** The length of each. */
  readonly seconds: number;
  /** Seconds for which each subject runs first: until its code is compiled, and what it stores at a first read is stored. */
  readonly warmUp: number;
}

export type Measure = (seconds: number) => Promise<Measured>;

export interface SliceTable {
  /** The CPU of each subject, and the median of the first one's ratio to it with the quartiles. */
  readonly lines: readonly string[];
  /** The median of the first one's ratios to this one, pair by pair. */
  ratioTo(name: string): number;
}

/**
 * Compares small costs under the load of others: subjects take turns in short slices, in both orders, so that each ratio
 * is of neighbouring slices.
 */
export async function inSlices(
  { pairs, seconds, warmUp }: Slices,
  subjects: Readonly<Record<string, Measure>>,
): Promise<SliceTable> {
  const cpu = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (const measure of Object.values(subjects)) await measure(warmUp);
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? Object.entries(subjects) : Object.entries(subjects).toReversed();
    for (const [name, measure] of order) cpu.get(name)?.push((await measure(seconds)).cpu);
  }
  const [first = []] = cpu.values();
  const ratios = (name: string) => (cpu.get(name) ?? []).map((each, pair) => (first[pair] ?? Number.NaN) / each);
  const width = Math.max(...[...cpu.keys()].map((name) => name.length));
  const lines = [...cpu].map(([name, values]) => {
    const [low, middle, high] = QUARTILES.map((share) => quantile(ratios(name), share).toFixed(2).padStart(6));
    return `${name.padEnd(width)} ${quantile(values, 0.5).toFixed(0).padStart(7)} ${middle} ${low} ${high}`;
  });
  return {
    lines: [`${''.padEnd(width)}  CPU us  ratio    25%    75% (${pairs} pairs)`, ...lines],
    ratioTo: (name) => quantile(ratios(name), 0.5),
  };
}

const QUARTILES = [0.25, 0.5, 0.75];

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1) + 0.5)] ?? Number.NaN;
}
