import type { ProblemDetail } from '../../problem.ts';
import { keyFactors, type Submission } from './submission.ts';

/**
 * Entries that a list contains twice, where the list is a set: tags, related records, and what a factor depends on. They
 * are refused, as repeated ids of factors and kinds of invalidation are, so that nothing is stored otherwise than sent.
 */
export function repeatFaults(submission: Submission): ProblemDetail[] {
  const { tags = [], related_records = [] } = submission;
  const related = related_records.map(({ record_id, relation }) => `${relation} ${record_id}`);
  const depends = keyFactors(submission).flatMap(({ depends_on = [] }, index) =>
    repeats(depends_on, `key_factors.${index}.depends_on`, 'Send each id once.'),
  );
  return [
    ...repeats(tags, 'tags', 'Send each tag once.'),
    ...repeats(related, 'related_records', 'Send each relation to a record once.'),
    ...depends,
  ];
}

function repeats(entries: readonly string[], path: string, message: string): ProblemDetail[] {
  return entries.flatMap((entry, index) =>
    entries.indexOf(entry) < index ? [{ path: `${path}.${index}`, message, received: entry }] : [],
  );
}
