import type { Direction } from '../decisions/call.ts';
import { GRADING } from './method-numbers.ts';
import type { ResultBucket } from './outcome.ts';

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
