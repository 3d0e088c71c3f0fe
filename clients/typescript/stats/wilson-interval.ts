import { phi } from '../../../domain/grading/paths/normal.ts';

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
