import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/**
 * How long to wait after the n-th failed evaluation, n from 1; null when the record becomes `data_unavailable`
 * (evaluation.md section 6).
 */
export function retryDelay(attempt: number): Millis | null {
  return GRADING.retries[attempt - 1] ?? null;
}
