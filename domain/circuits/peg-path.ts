import { HOUR, MINUTE, type Millis } from '../time.ts';
import type { Peg } from './peg.ts';

/** The observations of one stretch of a peg's past. */
export interface PegStretch {
  /** The stretch begins here. */
  readonly from: Date;
  readonly low: number;
  readonly high: number;
  /** The last price. */
  readonly last: number;
  /** The largest distance from the dollar, in basis points. */
  readonly drift_bps: number;
  readonly observations: number;
}

/** The length of a stretch, so that a path of up to 8 days has at most 288. */
export function pegStretch(hours: number): Millis {
  return Math.ceil((hours * HOUR) / 288 / MINUTE) * MINUTE;
}

/** The path of a peg; a stretch without an observation is left out. @param observations in their order */
export function pegPath(observations: readonly Peg[], step: Millis): readonly PegStretch[] {
  const stretches = Map.groupBy(observations, ({ observed_at }) => Math.floor(observed_at.getTime() / step));
  return [...stretches].map(([index, pegs]) => {
    const prices = pegs.map(({ price }) => price);
    return {
      from: new Date(index * step),
      low: Math.min(...prices),
      high: Math.max(...prices),
      last: prices.at(-1) ?? 0,
      drift_bps: Math.max(...pegs.map(({ drift_bps }) => drift_bps)),
      observations: pegs.length,
    };
  });
}
