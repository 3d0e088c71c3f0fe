import { type Measured, medianOf } from './measured.ts';

/** What is measured: the service, and what it is held against, each by its name in the table. */
export interface Contender {
  readonly name: string;
  /** Measures for that many seconds, with so many requests per second if told, else with as many as are answered. */
  measure(seconds: number, perSecond?: number): Promise<Measured>;
}

export interface Extent {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Rounds of every contender in turn, so that whatever else the machine does meets them all; then the medians. */
export async function inRounds(
  contenders: readonly Contender[],
  { rounds, seconds, warmUp }: Extent,
): Promise<ReadonlyMap<string, Measured>> {
  for (const contender of contenders) await contender.measure(warmUp);
  const measured = new Map<Contender, Measured[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [contender, results] of measured) results.push(await contender.measure(seconds));
  }
  return new Map([...measured].map(([contender, results]) => [contender.name, medianOf(results)]));
}
