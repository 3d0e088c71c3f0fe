import { DIRECTIONS, type Direction } from '../../../domain/decisions/call.ts';
import type { HadSaidCounts } from '../../../domain/grading/bucket.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import { phi } from '../../../domain/grading/paths/normal.ts';

/** What an overview of a cohort shows of its counts. */
export interface CountedResults {
  readonly result_distribution: BucketCounts | null;
  readonly had_said: HadSaidCounts | null;
  readonly windows: { readonly disjoint: number } | null;
}

type BucketCounts = Readonly<Record<ResultBucket, number>>;

export interface ShareOptions {
  /** The buckets that are counted; those of correct decisions. */
  readonly buckets?: readonly ResultBucket[];
  /** Of the interval; 0.95. */
  readonly confidence?: number;
  /** The cohorts that were looked at to find this one, itself included: more of them make the interval wider; 1. */
  readonly looks?: number;
}

/** How some past decisions came out: no odds of the next one (docs/cohorts.md). */
export interface CountedShare {
  readonly count: number;
  /** All graded decisions of the cohort. */
  readonly of: number;
  readonly share: number;
  /** The independent observations, at most: windows of one instrument that do not overlap. Null where it is not known. */
  readonly separate: number | null;
  /** What the share may be by chance, if `separate` observations were counted. Null where that is not known. */
  readonly interval: Interval | null;
  /** The share if all decisions had had this direction, in the same windows. Null where it is not known. */
  readonly hadSaid: Readonly<Record<Direction, number>> | null;
  /** How far the share is above the greatest of `hadSaid`; up to 0, one direction in all windows did as well. */
  readonly aboveOneDirection: number | null;
}

/**
 * The share of some buckets in a cohort, next to what the market alone gave. Null for a cohort that is withheld or empty.
 * @throws RangeError for options out of their range
 */
export function readShare(
  { result_distribution, had_said, windows }: CountedResults,
  { buckets = ['strong_correct', 'weak_correct'], confidence = 0.95, looks = 1 }: ShareOptions = {},
): CountedShare | null {
  if (!(looks >= 1)) throw new RangeError('looks must be a number from 1.');
  if (result_distribution === null) return null;
  const of = total(result_distribution, RESULT_BUCKETS);
  if (of === 0) return null;
  const count = total(result_distribution, buckets);
  const share = count / of;
  const separate = windows && Math.min(of, windows.disjoint);
  const hadSaid = had_said && sharesOf(had_said, buckets, of);
  return {
    count,
    of,
    share,
    separate,
    interval: separate ? wilsonInterval(share * separate, separate, 1 - (1 - confidence) / looks) : null,
    hadSaid,
    aboveOneDirection: hadSaid && share - Math.max(...Object.values(hadSaid)),
  };
}

function total(counts: BucketCounts, buckets: readonly ResultBucket[]): number {
  return buckets.reduce((sum, bucket) => sum + counts[bucket], 0);
}

function sharesOf(counts: HadSaidCounts, buckets: readonly ResultBucket[], of: number): Record<Direction, number> {
  const shares = DIRECTIONS.map((direction) => [direction, total(counts[direction], buckets) / of]);
  return Object.fromEntries(shares) as Record<Direction, number>;
}

/** Two shares, from 0 to 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Wilson's score interval: the shares from which `count` of `of` independent observations do not differ more than chance
 * makes them, in the given part of all cases (E. Wilson, "Probable Inference, the Law of Succession, and Statistical
 * Inference", 1927). For outcomes that are 0 or 1.
 * @param count from 0 to `of`; may have a fraction
 * @param of more than 0
 * @param confidence more than 0, less than 1
 * @throws RangeError
 */
export function wilsonInterval(count: number, of: number, confidence = 0.95): Interval {
  if (!(of > 0 && count >= 0 && count <= of)) throw new RangeError(`${count} of ${of} are no counts.`);
  if (!(confidence > 0 && confidence < 1)) throw new RangeError('confidence must be between 0 and 1.');
  const z = quantile((1 + confidence) / 2);
  const share = count / of;
  const middle = share + z ** 2 / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  const whole = 1 + z ** 2 / of;
  return { low: Math.max(0, (middle - half) / whole), high: Math.min(1, (middle + half) / whole) };
}

/** Sigmas below which N(0,1) lies with the probability `p`, from 0.5 up to before 1. */
function quantile(p: number): number {
  let [low, high] = [0, 8.5];
  for (let middle = high / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (phi(middle) < p) low = middle;
    else high = middle;
  }
  return high;
}
