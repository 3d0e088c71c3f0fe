import type { Millis } from '../time.ts';
import { EVAL_1 } from './eval-1.ts';

/**
 * How long to wait after the n-th failed evaluation, n from 1; null when the record becomes `data_unavailable`
 * (evaluation.md section 6).
 */
export function retryDelay(attempt: number): Millis | null {
  return EVAL_1.retries[attempt - 1] ?? null;
}
