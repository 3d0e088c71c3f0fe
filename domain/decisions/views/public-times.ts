import { MINUTE } from '../../time.ts';

/**
 * The start of its UTC minute: others see times of receipt no more precisely, and the window of a realtime record, which
 * starts at its receipt.
 */
export function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);
}

/**
 * The time of an evaluation as others see it: a whole UTC minute, never before the evaluation. A grade follows the end of
 * a window, or the receipt of a retroactive record, within seconds, so that the exact time would show the receipt.
 */
export function publicEvaluationTime(evaluated_at: Date): Date {
  return new Date(Math.ceil(evaluated_at.getTime() / MINUTE) * MINUTE);
}
