import type { Shape } from './shapes.ts';

export interface Variable<T> {
  readonly shape: Shape<T>;
  readonly about: string;
  /** As one would send it; without it the variable may be left out. */
  readonly fallback?: string;
  /** What leaving it out means, where there is no fallback. */
  readonly absent?: string;
}

/** One that has a default. */
export function of<T>(shape: Shape<T>, fallback: string, about: string): Variable<T> & { readonly fallback: string } {
  return { shape, about, fallback };
}

/** One that may be left out. */
export function may<T>(shape: Shape<T>, about: string, absent: string): Variable<T> & { readonly absent: string } {
  return { shape, about, absent };
}
