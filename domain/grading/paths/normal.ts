/**
 * The distribution function of N(0,1), in [0, 1], to the last few bits of a double: Marsaglia's series, whose terms are all
 * positive. Rounding takes the sum a few bits beyond 0 and 1 from 8 sigmas on.
 */
export function phi(x: number): number {
  if (Math.abs(x) > 8.5) return x > 0 ? 1 : 0;
  let term = x;
  let sum = x;
  for (let odd = 3; Math.abs(term) > Math.abs(sum) * Number.EPSILON; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return Math.min(1, Math.max(0, 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)));
}
