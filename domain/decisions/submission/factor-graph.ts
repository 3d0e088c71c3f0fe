import type { ProblemDetail } from '../../problem.ts';
import type { KeyFactor } from './submission.ts';

/**
 * The faults of the ids of the key factors: repeated, unknown, or depending on each other in a circle (settled.md
 * section 4).
 */
export function factorFaults(factors: readonly KeyFactor[]): ProblemDetail[] {
  const known = new Set(factors.flatMap(({ id }) => (id === undefined ? [] : [id])));
  return [...repeated(factors), ...unknown(factors, known), ...circular(factors)];
}

function repeated(factors: readonly KeyFactor[]): ProblemDetail[] {
  const seen = new Set<string>();
  return factors.flatMap(({ id }, index) => {
    if (id === undefined) return [];
    const isRepeated = seen.has(id);
    seen.add(id);
    return isRepeated
      ? [{ path: `key_factors.${index}.id`, message: 'Give every factor an id of its own.', received: id }]
      : [];
  });
}

function unknown(factors: readonly KeyFactor[], known: ReadonlySet<string>): ProblemDetail[] {
  return factors.flatMap(({ depends_on = [] }, index) =>
    depends_on.flatMap((id, position) =>
      known.has(id)
        ? []
        : [
            {
              path: `key_factors.${index}.depends_on.${position}`,
              message: 'Name the id of a factor of this submission.',
              received: id,
            },
          ],
    ),
  );
}

function circular(factors: readonly KeyFactor[]): ProblemDetail[] {
  const dependsOn = new Map(factors.flatMap(({ id, depends_on = [] }) => (id === undefined ? [] : [[id, depends_on]])));
  let open = [...dependsOn.keys()];
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    const left = new Set(open);
    open = open.filter((id) => dependsOn.get(id)?.some((other) => left.has(other)));
  }
  if (open.length === 0) return [];
  return [
    {
      path: 'key_factors',
      message: 'Remove a depends_on, so that no factor depends on itself through others.',
      received: open,
    },
  ];
}
