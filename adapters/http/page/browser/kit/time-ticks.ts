const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = 86_400_000;
const SHORT = 120 * DAY;

/** A text of a time axis in UTC: each names the month, and a day of a short span the year too. */
export function tickWords(at: number, unit: 'year' | 'month' | 'day' | 'time', span: number): string {
  const time = new Date(at);
  const [year, month] = [time.getUTCFullYear(), MONTHS[time.getUTCMonth()]];
  if (unit === 'time') return time.toISOString().slice(11, 16);
  if (unit === 'day') return `${time.getUTCDate()} ${month}${span < SHORT ? ` ${year}` : ''}`;
  return unit === 'month' ? `${month} ${year}` : String(year);
}

export interface Tick {
  readonly at: number;
  readonly words: string;
}

/** Steps in months; a shorter span has steps in days. */
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];
const DAY_STEPS = [1, 2, 7, 14];

/** Round times between two times, at most so many: days, or starts of months. */
export function timeTicks(from: number, to: number, most: number): readonly Tick[] {
  for (const days of DAY_STEPS) {
    const ticks = dayTicks(from, to, days);
    if (ticks.length <= most) return ticks;
  }
  for (const months of MONTH_STEPS) {
    const ticks = monthTicks(from, to, months);
    if (ticks.length <= most) return ticks;
  }
  return monthTicks(from, to, MONTH_STEPS.at(-1) ?? 12).slice(0, most);
}

function dayTicks(from: number, to: number, step: number): readonly Tick[] {
  const first = Math.ceil(from / DAY);
  const count = Math.max(0, Math.floor((Math.floor(to / DAY) - first) / step) + 1);
  const days = Array.from({ length: Math.min(count, 1_000) }, (_, n) => (first + n * step) * DAY);
  return days.map((at) => ({ at, words: tickWords(at, 'day', 0) }));
}

function monthTicks(from: number, to: number, step: number): readonly Tick[] {
  const monthOf = (at: number) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
  const first = Math.ceil(monthOf(from) / step) * step;
  const months = Array.from({ length: Math.floor((monthOf(to) - first) / step) + 1 }, (_, n) => first + n * step);
  return months
    .map((month) => Date.UTC(Math.floor(month / 12), month % 12))
    .filter((at) => at >= from && at <= to)
    .map((at) => ({ at, words: tickWords(at, step % 12 === 0 ? 'year' : 'month', 0) }));
}
