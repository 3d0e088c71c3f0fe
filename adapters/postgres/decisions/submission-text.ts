import type { Submission } from '../../../domain/decisions/submission.ts';

/**
 * What was submitted, from the statement of its record. It is kept in a column of its own as well, which costs more to
 * write out than all other columns of the record; this text is read in any case.
 */
export function submissionIn(statement: string): Submission {
  const { body } = JSON.parse(statement) as { readonly body: Submission };
  return body.meta === undefined ? body : { ...body, meta: inOrder(body.meta) as typeof body.meta };
}

/** Members as `jsonb` orders them, shorter names first, so that `meta` keeps the order in which it was always returned. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value).map(([name, member]) => [name, Buffer.from(name), inOrder(member)] as const);
  members.sort(([, a], [, b]) => a.length - b.length || a.compare(b));
  return Object.fromEntries(members.map(([name, , member]) => [name, member]));
}
