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

export type Bounded = Required<Period>;

export const ALL_TIME: Period = { unit: 'all' };

/** How a calendar part is written: `2026`, `2026-01` or `2026-01-30`. */
export const CALENDAR_PART = /^\d{4}(-\d{2}(-\d{2})?)?$/;

/** The period that a calendar part names; null where it names none, such as `2026-02-30`. */
export function namedPeriod(part: string): Bounded | null {
  if (!CALENDAR_PART.test(part)) return null;
  const [year = 0, month = 1, day = 1] = part.split('-').map(Number);
  const at = utc(year, month - 1, day);
  if (at.getUTCFullYear() !== year || at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return null;
  return periodOf(part.length === 4 ? 'year' : part.length === 7 ? 'month' : 'day', at);
}

/** The periods of the next smaller unit within a period that overlap `from..to`, the latest first. */
export function periodsWithin({ unit }: Period, from: Date, to: Date): readonly Period[] {
  if (unit === 'day') return [];
  const smaller = unit === 'all' ? 'year' : unit === 'year' ? 'month' : 'day';
  const periods: Period[] = [];
  for (let period = periodOf(smaller, to); period.until > from; period = before(smaller, period)) periods.push(period);
  return periods;
}

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
