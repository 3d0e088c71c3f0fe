import { type FindOperator, Raw } from 'typeorm';
import type { Millis } from '../../../domain/time.ts';
import { interval } from './interval.ts';

/** Condition of a repository: the time in the column is at least so long ago, by the database's clock. */
export function atLeastAgo(age: Millis): FindOperator<Date> {
  return compared('<=', age);
}

/** Condition of a repository: the time in the column is less long ago, or ahead, by the database's clock. */
export function lessThanAgo(age: Millis): FindOperator<Date> {
  return compared('>', age);
}

/** The clock is volatile: as a subquery it is read once, so that an index on the column can be used. */
function compared(sign: '<=' | '>', age: Millis): FindOperator<Date> {
  const name = `age${age}`;
  return Raw((column) => `${column} ${sign} (select app.now()) - :${name}::interval`, { [name]: interval(age) });
}

/** The database's time as the value of a column. */
export const NOW = () => 'app.now()';
