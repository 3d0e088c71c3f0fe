import type { Direction } from '../decisions/call.ts';
import { EVAL_1 } from './eval-1.ts';
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
  if (z >= EVAL_1.signedQuartile) return 'strong_correct';
  if (z > 0) return 'weak_correct';
  return z > -EVAL_1.signedQuartile ? 'weak_incorrect' : 'strong_incorrect';
}

function neutralBucket(a: number): ResultBucket {
  const [strong, weak, wrong] = EVAL_1.absoluteQuartiles;
  if (a <= strong) return 'strong_correct';
  if (a <= weak) return 'weak_correct';
  return a <= wrong ? 'weak_incorrect' : 'strong_incorrect';
}
