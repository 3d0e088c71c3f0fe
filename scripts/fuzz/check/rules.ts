import type { Operation } from '../document.ts';

/** A refusal of what fits the schema: allowed only where the document tells the rule in words. */
export interface Rule {
  /** The operations that have it; all unless told. */
  readonly of?: RegExp;
  /** The place in the request. */
  readonly path: RegExp;
  readonly message: RegExp;
  /** Words of the document that tell it. */
  readonly told: string;
}

const ANYWHERE = /^/;
const STORABLE = 'No text holds U+0000 or half of a surrogate pair.';

export const RULES: readonly Rule[] = [
  { path: ANYWHERE, message: /U\+0000/, told: STORABLE },
  { path: ANYWHERE, message: /half of a surrogate pair|must be percent-encoded/, told: STORABLE },
  { path: ANYWHERE, message: /must not nest deeper than 32 levels/, told: 'nest at most 32 levels deep' },
  { path: ANYWHERE, message: /^must not be sent$/, told: '`__proto__`' },
  { path: ANYWHERE, message: /must be a number of at most 1\.8e308/, told: 'no number beyond a double' },
];

export interface Detail {
  readonly path: string;
  readonly message: string;
}

/** The reasons of a refusal for which the document has no words. */
export function unexplained(operation: Operation, refusal: unknown): readonly Detail[] {
  const { error } = refusal as { error: { message: string; details?: readonly Detail[] } };
  const details = error.details ?? [{ path: '', message: error.message }];
  return details.filter((detail) => !RULES.some((rule) => explains(rule, operation, detail)));
}

function explains({ of, path, message, told }: Rule, operation: Operation, detail: Detail): boolean {
  if (of && !of.test(operation.id)) return false;
  return path.test(detail.path) && message.test(detail.message) && operation.words.includes(told);
}
