import type { Calendar } from '../../market/calendar.ts';
import type { KnownActions } from '../../market/market-data.ts';
import type { Millis } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { factorOf, type Price } from './stray-prices.ts';

/** Two neighbouring prices with a night between them that no action explains. */
export interface NightLeap {
  readonly before: Price;
  readonly after: Price;
  /** The new price over the old one, adjusted. */
  readonly ratio: number;
  /** The dates of the sessions that open between them. */
  readonly dates: readonly string[];
  readonly isReal: boolean;
}

/** Every night leap between neighbours of a sequence of prices that stay (evaluation-3.md section 3). */
export function nightLeaps(calendar: Calendar, prices: readonly Price[], known: KnownActions): readonly NightLeap[] {
  const leaps: NightLeap[] = [];
  for (let i = 1; i < prices.length; i += 1) {
    const [before, after] = [prices[i - 1], prices[i]];
    if (before && after && isFarApart(calendar, before, after))
      leaps.push(...leapBetween(calendar, before, after, known));
  }
  return leaps;
}

function leapBetween(calendar: Calendar, before: Price, after: Price, known: KnownActions): readonly NightLeap[] {
  const dates = datesBetween(calendar, before.ts, after.ts);
  if (calendar.continuous ? before.bar === after.bar : dates.length === 0) return [];
  const ratio = after.value / before.value;
  return [{ before, after, ratio, dates, isReal: isExplained(calendar, ratio, dates, known) }];
}

function isFarApart({ continuous }: Calendar, before: Price, after: Price): boolean {
  const { continuous: anywhere, sessions } = GRADING.nightLeap;
  return factorOf(before.value, after.value) > (continuous ? anywhere : sessions);
}

/** The dates of the sessions that open after one instant and up to another; of the days that these touch, without sessions. */
function datesBetween(calendar: Calendar, from: Millis, to: Millis): readonly string[] {
  const sessions = calendar.sessions(from, to + 1);
  return sessions.filter(({ open }) => calendar.continuous || open > from).map(({ date }) => date);
}

function isExplained(
  { continuous }: Calendar,
  ratio: number,
  dates: readonly string[],
  { lists, none }: KnownActions,
): boolean {
  if (dates.some((date) => none.includes(date))) return true;
  if (continuous || factorOf(ratio, 1) > GRADING.nightLeap.listed) return false;
  return dates.every((date) => lists.some(({ from, until }) => from <= date && date <= until));
}
