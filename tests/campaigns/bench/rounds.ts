import { type Measured, medianOf } from './measured.ts';

/** The service or one of its references, by its name in the table. */
export interface Contender {
  readonly name: string;
  /** Measures for that many seconds, at this rate of requests, or by default as fast as they are answered. */
  measure(seconds: number, perSecond?: number): Promise<Measured>;
}

export interface Extent {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUp: number;
}

/** Measures all contenders in turn in each round, so that other load affects them alike. Returns the medians. */
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
