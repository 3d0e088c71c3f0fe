/**
 * The first place at which two JSON values differ, in words; null for none. Numbers may differ by 10^-9 of their size: engines
 * round logarithms and roots differently.
 * @param path of the values, such as `outcome.entry.price`
 */
export function firstDifference(shown: unknown, computed: unknown, path = ''): string | null {
  if (isBranch(shown) && isBranch(computed)) {
    for (const name of new Set([...Object.keys(shown), ...Object.keys(computed)])) {
      const difference = firstDifference(shown[name], computed[name], path === '' ? name : `${path}.${name}`);
      if (difference !== null) return difference;
    }
    return null;
  }
  if (typeof shown === 'number' && typeof computed === 'number' && isClose(shown, computed)) return null;
  const [left, right] = [JSON.stringify(shown) ?? 'nothing', JSON.stringify(computed) ?? 'nothing'];
  return left === right ? null : `${path} is ${left}, not ${right}`;
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= Math.max(ROUNDING * Math.abs(a), 1e-15);
}

/** The greatest relative difference between two ways to compute the same number. */
export const ROUNDING = 1e-9;

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
