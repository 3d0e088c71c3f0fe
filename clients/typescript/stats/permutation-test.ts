import { DIRECTIONS, type Direction } from '../../../domain/decisions/call.ts';
import type { HadSaid } from '../../../domain/grading/bucket.ts';
import type { ResultBucket } from '../../../domain/grading/outcome.ts';

/** A graded decision: a record as `decision` returns it, for example. */
export interface JudgedDecision {
  readonly direction: Direction;
  /** Null where it is not graded; such a decision is left out. */
  readonly outcome: { readonly had_said: HadSaid } | null;
}

export interface PermutationOptions {
  /** The same seed gives the same p: from 0 to 4294967295; 1. */
  readonly seed?: number;
  /** 9,999. */
  readonly permutations?: number;
  /** The buckets that are counted; those of correct decisions. */
  readonly buckets?: readonly ResultBucket[];
}

export interface PermutationResult {
  /** Decisions in the buckets, with the directions that they had. */
  readonly count: number;
  /** Graded decisions. */
  readonly of: number;
  /** What `count` is on average if the same directions are dealt to the same windows at random. */
  readonly expected: number;
  readonly permutations: number;
  /** The permutations with as many decisions in the buckets, or more. */
  readonly atLeast: number;
  /** How often chance deals as good a hand: (atLeast + 1) / (permutations + 1), so never 0. */
  readonly p: number;
}

/**
 * Whether directions were chosen by window: deals the directions of the decisions to their windows at random and counts
 * how often that comes out at least as well, by the `had_said` of each. Dealing keeps how many decisions were bullish,
 * and what the market did, so drift alone gives no small p; a cohort of one direction has p = 1. One-sided: B. Phipson,
 * G. Smyth, "Permutation P-values should never be zero" (2010), section 3. Overlapping windows are no separate hands:
 * test what `disjointWindows` chooses. Null without a graded decision.
 * @throws RangeError for options out of their range
 */
export function permutationTest(
  decisions: readonly JudgedDecision[],
  { seed = 1, permutations = 9_999, buckets = ['strong_correct', 'weak_correct'] }: PermutationOptions = {},
): PermutationResult | null {
  if (!(Number.isInteger(permutations) && permutations >= 1)) {
    throw new RangeError('permutations must be a whole number from 1.');
  }
  const draw = seededDraws(seed);
  const graded = decisions.flatMap(({ direction, outcome }) => (outcome ? [{ direction, ...outcome }] : []));
  if (graded.length === 0) return null;
  const hits = graded.map(({ had_said }) =>
    DIRECTIONS.map((direction) => Number(buckets.includes(had_said[direction]))),
  );
  const dealt = graded.map(({ direction }) => DIRECTIONS.indexOf(direction));
  const count = counted(hits, dealt);
  const expected = expectedCount(hits, dealt);
  let atLeast = 0;
  for (let i = 0; i < permutations; i += 1) {
    shuffle(dealt, draw);
    if (counted(hits, dealt) >= count) atLeast += 1;
  }
  return { count, of: graded.length, expected, permutations, atLeast, p: (atLeast + 1) / (permutations + 1) };
}

function counted(hits: readonly (readonly number[])[], directions: readonly number[]): number {
  return hits.reduce((sum, hit, window) => sum + (hit[directions[window] ?? 0] ?? 0), 0);
}

function expectedCount(hits: readonly (readonly number[])[], directions: readonly number[]): number {
  const pairs = directions.reduce((sum, direction) => sum + hits.reduce((n, hit) => n + (hit[direction] ?? 0), 0), 0);
  return pairs / hits.length;
}

/** R. Fisher and F. Yates, as D. Knuth, "The Art of Computer Programming", volume 2, algorithm P. */
function shuffle(items: number[], draw: (below: number) => number): void {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const chosen = draw(last + 1);
    [items[last], items[chosen]] = [items[chosen] ?? 0, items[last] ?? 0];
  }
}

/**
 * Whole numbers in [0, below), the same for the same seed in every client: xoshiro128** 1.1 (D. Blackman, S. Vigna,
 * "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021). Its state is the MurmurHash3 finaliser of four
 * numbers after the seed. A number is the high word of draw * below, so that its probability is right to 2^-32 * below.
 * @param seed a whole number from 0 to 2^32 - 1
 * @throws RangeError
 */
function seededDraws(seed: number): (below: number) => number {
  if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) {
    throw new RangeError('seed must be a whole number from 0 to 4294967295.');
  }
  const next = xoshiro128([1, 2, 3, 4].map((step) => mixed(seed + Math.imul(step, 0x9e3779b9))));
  return (below) => Math.floor((next() * below) / 2 ** 32);
}

/** Draws of 32 bits. @param state four words of 32 bits, not all 0 */
export function xoshiro128([s0 = 0, s1 = 0, s2 = 0, s3 = 0]: readonly number[]): () => number {
  return () => {
    const drawn = Math.imul(rotated(Math.imul(s1, 5), 7), 9) >>> 0;
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = rotated(s3, 11);
    return drawn;
  };
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixed(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

/** A question that was asked of the data, and the p of its answer. */
export interface AskedQuestion {
  /** Whatever names it, such as its query: the same text is the same question. */
  readonly question: string;
  /** From 0 to 1. */
  readonly p: number;
}

export interface JudgedQuestion extends AskedQuestion {
  /** The smallest rate at which it would be found. */
  readonly adjusted: number;
  /** Whether `adjusted` is at most the rate. */
  readonly found: boolean;
}

/**
 * Which of several questions have an answer that is more than chance, if at most a part `rate` of those found may be
 * false on average: Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate" (1995). Give every question that was
 * asked, also those whose answer was disappointing. One that was asked several times counts once, with its largest p: to
 * ask again until the answer is better finds nothing. In the order in which each was given first.
 * @param rate more than 0, less than 1
 * @throws RangeError
 */
export function benjaminiHochberg(questions: readonly AskedQuestion[], rate = 0.05): readonly JudgedQuestion[] {
  if (!(rate > 0 && rate < 1)) throw new RangeError('rate must be between 0 and 1.');
  const largest = new Map<string, number>();
  for (const { question, p } of questions) {
    if (!(p >= 0 && p <= 1)) throw new RangeError(`${p} is no p of a question: it must be from 0 to 1.`);
    largest.set(question, Math.max(p, largest.get(question) ?? 0));
  }
  const adjusted = new Map<string, number>();
  let least = 1;
  const descending = [...largest].toSorted(([, a], [, b]) => b - a);
  for (const [i, [question, p]] of descending.entries()) {
    least = Math.min(least, (p * largest.size) / (largest.size - i));
    adjusted.set(question, least);
  }
  return [...largest].map(([question, p]) => {
    const value = adjusted.get(question) ?? 1;
    return { question, p, adjusted: value, found: value <= rate };
  });
}
