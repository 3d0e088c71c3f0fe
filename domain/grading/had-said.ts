import type { Direction } from '../decisions/call.ts';
import { bucketOf } from './bucket.ts';
import type { PathFacts, ResultBucket } from './outcome.ts';

/** The bucket that each direction would have got in a window (evaluation-2.md section 4). */
export type HadSaid = Readonly<Record<Direction, ResultBucket>>;

/** The move of an outcome by either method in sigmas, signed by the price, from the facts that are stored. */
export function moveZ(direction: Direction, { z, raw_return }: Pick<PathFacts, 'z' | 'raw_return'>): number {
  if (direction === 'bullish') return z;
  // Never a negative zero.
  return direction === 'bearish' || raw_return < 0 ? 0 - z : z;
}

/** @param move_z the move of the price in sigmas of the window */
export function hadSaid(move_z: number): HadSaid {
  return {
    bullish: bucketOf('bullish', move_z),
    bearish: bucketOf('bearish', move_z),
    neutral: bucketOf('neutral', move_z),
  };
}
