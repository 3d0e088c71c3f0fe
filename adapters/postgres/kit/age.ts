import { type FindOperator, Raw } from 'typeorm';
import type { Millis } from '../../../domain/time.ts';
import { interval } from './interval.ts';

/** Condition of a repository: the time in the column is less long ago, or ahead, by the database's clock. */
export function lessThanAgo(age: Millis): FindOperator<Date> {
  // The clock is volatile: as a subquery it is read once.
  return Raw((column) => `${column} > (select app.now()) - :age::interval`, { age: interval(age) });
}

/** The database's time as the value of a column. */
export const NOW = () => 'app.now()';
