/**
 * A whole UTC year, month or day, or all time: two periods are disjoint, or one contains the other. Because cohorts are
 * judged by such periods only, sliding windows cannot separate their records.
 */
export interface Period {
  readonly unit: 'all' | 'year' | 'month' | 'day';
  /** At or after it; absent for all time. */
  readonly since?: Date;
  /** Before it. */
  readonly until?: Date;
}

export const ALL_TIME: Period = { unit: 'all' };

/** The periods of the next smaller unit within a period that overlap `from..to`, the latest first. */
export function periodsWithin({ unit }: Period, from: Date, to: Date): readonly Period[] {
  if (unit === 'day') return [];
  const smaller = unit === 'all' ? 'year' : unit === 'year' ? 'month' : 'day';
  const periods: Period[] = [];
  for (let period = periodOf(smaller, to); period.until > from; period = before(smaller, period)) periods.push(period);
  return periods;
}

type Bounded = Required<Period>;

function periodOf(unit: Bounded['unit'], at: Date): Bounded {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  if (unit === 'year') return { unit, since: utc(year), until: utc(year + 1) };
  if (unit === 'month') return { unit, since: utc(year, month), until: utc(year, month + 1) };
  return { unit, since: utc(year, month, day), until: utc(year, month, day + 1) };
}

function before(unit: Bounded['unit'], { since }: Bounded): Bounded {
  return periodOf(unit, new Date(since.getTime() - 1));
}

function utc(year: number, month = 0, day = 1): Date {
  return new Date(Date.UTC(year, month, day));
}
