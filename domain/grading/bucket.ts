import { DIRECTIONS, type Direction } from '../decisions/call.ts';
import { GRADING } from './method-numbers.ts';
import { RESULT_BUCKETS, type ResultBucket } from './outcome.ts';
import type { PathFacts } from './paths/path-facts.ts';

/**
 * The bucket of a call whose price moved by `z0` sigmas (evaluation.md section 4). The edges are quartiles, so a call
 * without skill falls into each bucket about equally often; a move of exactly 0 is wrong in both directions.
 */
export function bucketOf(direction: Direction, z0: number): ResultBucket {
  if (direction === 'neutral') return neutralBucket(Math.abs(z0));
  return directedBucket(direction === 'bullish' ? z0 : -z0);
}

function directedBucket(z: number): ResultBucket {
  if (z >= GRADING.signedQuartile) return 'strong_correct';
  if (z > 0) return 'weak_correct';
  return z > -GRADING.signedQuartile ? 'weak_incorrect' : 'strong_incorrect';
}

function neutralBucket(a: number): ResultBucket {
  const [strong, weak, wrong] = GRADING.absoluteQuartiles;
  if (a <= strong) return 'strong_correct';
  if (a <= weak) return 'weak_correct';
  return a <= wrong ? 'weak_incorrect' : 'strong_incorrect';
}

/** The bucket that each direction would have got in a window (evaluation-2.md section 4). */
export type HadSaid = Readonly<Record<Direction, ResultBucket>>;

/** The number of records by the bucket that each direction would have got. */
export type HadSaidCounts = Readonly<Record<Direction, Readonly<Record<ResultBucket, number>>>>;

/** What an outcome view shows next to the stored facts, for outcomes of every method. */
export interface DerivedFacts {
  /** The move of the price in sigmas of the window, signed by the price. */
  readonly move_z: number;
  readonly had_said: HadSaid;
}

export function derivedFacts(direction: Direction, facts: Pick<PathFacts, 'z' | 'raw_return'>): DerivedFacts {
  const move_z = moveZ(direction, facts);
  return { move_z, had_said: hadSaid(move_z) };
}

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

/**
 * One move of each range, ascending. The edges of all buckets divide the moves into these ranges, and within one every
 * direction gets one bucket. An edge that is a range of its own belongs to different sides for different directions.
 * The places are stored (`moveRange`), so they never change.
 */
const MOVES = [-2, -1, -GRADING.signedQuartile, -0.5, -0.3, 0, 0.3, 0.5, GRADING.signedQuartile, 1, 2] as const;

const RANGES: readonly HadSaid[] = MOVES.map(hadSaid);

export const MOVE_RANGES = MOVES.length;

/** The place of the range that contains a move, from 0 to before `MOVE_RANGES`. */
export function moveRange(move_z: number): number {
  const wanted = hadSaid(move_z);
  return RANGES.findIndex((range) => DIRECTIONS.every((direction) => range[direction] === wanted[direction]));
}

/** What each direction would have got for the moves of a range. @throws RangeError for no place of a range */
export function hadSaidInRange(place: number): HadSaid {
  const range = RANGES[place];
  if (range === undefined) throw new RangeError(`There is no range of moves ${place}.`);
  return range;
}

/** The number of records in each range of moves, in the order of the ranges. */
export type MoveCounts = readonly number[];

/** The counts of one record; all 0 where its range is not known yet. */
export function movesOfOne(range: number | null): MoveCounts {
  return MOVES.map((_, place) => (place === range ? 1 : 0));
}

/**
 * The counts of each direction by the moves of some records. Null unless the ranges of all of them are known: those of
 * records from before this was counted are read by a sweep after the upgrade (docs/cohorts.md).
 */
export function hadSaidCounts(parts: readonly MoveCounts[], records: number): HadSaidCounts | null {
  const moves = MOVES.map((_, place) => parts.reduce((sum, part) => sum + (part[place] ?? 0), 0));
  if (moves.reduce((sum, n) => sum + n, 0) !== records) return null;
  return { bullish: of('bullish'), bearish: of('bearish'), neutral: of('neutral') };

  function of(direction: Direction) {
    const total = (bucket: ResultBucket) =>
      moves.reduce((sum, n, place) => (RANGES[place]?.[direction] === bucket ? sum + n : sum), 0);
    const buckets = RESULT_BUCKETS.map((bucket) => [bucket, total(bucket)]);
    return Object.fromEntries(buckets) as Record<ResultBucket, number>;
  }
}
