import type { Shape } from './shapes.ts';

export interface Variable<T> {
  readonly shape: Shape<T>;
  readonly about: string;
  /** The default in the form of the variable's text; undefined: the variable may be absent. */
  readonly fallback?: string;
  /** The meaning of an absent variable without a fallback. */
  readonly absent?: string;
}

/** A variable with a default. */
export function of<T>(shape: Shape<T>, fallback: string, about: string): Variable<T> & { readonly fallback: string } {
  return { shape, about, fallback };
}

/** A variable that may be absent. */
export function may<T>(shape: Shape<T>, about: string, absent: string): Variable<T> & { readonly absent: string } {
  return { shape, about, absent };
}
