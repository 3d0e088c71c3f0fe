/**
 * Which public records are counted (evaluation.md section 1): `realtime` ones, received before their outcome could be
 * known, or `all` of them, retroactive ones too, as with `include_retroactive`.
 */
export const SCOPES = ['realtime', 'all'] as const;
export type Scope = (typeof SCOPES)[number];
export type ByScope<T> = { readonly [S in Scope]: T };

export function byScope<T>(of: (scope: Scope) => T): ByScope<T> {
  return { realtime: of('realtime'), all: of('all') };
}

/** Whether a record that cohorts count as of that origin counts (`countedAs`). */
export function isWithin(scope: Scope, { submission_origin }: { readonly submission_origin: string }): boolean {
  return scope === 'all' || submission_origin === 'realtime';
}
