import type { Submission } from '../../../domain/decisions/submission/submission.ts';

/**
 * What was submitted, from the statement of its record. In statements of 0.4.0 `meta` is an object whose text was not
 * stored.
 * @throws SyntaxError for a statement that was damaged past the guards
 */
export function submissionIn(statement: string): Submission {
  const { body } = JSON.parse(statement) as { readonly body: Submission | SubmissionOf040 };
  return typeof body.meta === 'object' ? { ...body, meta: JSON.stringify(inOrder(body.meta)) } : (body as Submission);
}

type SubmissionOf040 = Omit<Submission, 'meta'> & { readonly meta?: Readonly<Record<string, unknown>> };

/** Members as `jsonb` orders them, shorter names first: the order in which 0.4.0 returned `meta`. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value).map(([name, member]) => [name, Buffer.from(name), inOrder(member)] as const);
  members.sort(([, a], [, b]) => a.length - b.length || a.compare(b));
  return Object.fromEntries(members.map(([name, , member]) => [name, member]));
}
