import { z } from 'zod';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';

export const count = () => z.int().min(0);

/** An object with a count for each of the given names. */
export function countOfEach<Name extends string>(names: readonly Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, count()])) as Record<Name, ReturnType<typeof count>>;
  return z.strictObject(shape);
}

export const distribution = countOfEach(RESULT_BUCKETS).meta({
  id: 'ResultDistribution',
  description: 'The number of records by result.',
});
