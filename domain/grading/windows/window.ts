import type { HorizonKind, SubmissionOrigin, Window } from '../../decisions/call.ts';
import { HORIZON_BOUNDS } from '../../limits.ts';
import { type BarSize, lastEvent, lengthOf } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import { lastInstantWithin, openTime, openTimeFallsBelow } from '../../market/open-time.ts';
import type { ProblemDetail } from '../../problem.ts';
import { HOUR, type Millis, rfc3339, SECOND } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';

/** The bounds of both kinds, as the description of a field states them. */
export const HORIZON_RANGES = `Seconds (${range(HORIZON_BOUNDS.holding_seconds)}) or full sessions (${range(HORIZON_BOUNDS.trading_days)}).`;

/**
 * The fields of a submission that its window depends on, besides the receive time. `horizon_value` is seconds, or
 * sessions.
 */
export interface WindowTerms {
  readonly instrument: Instrument;
  readonly horizon_kind: HorizonKind;
  readonly horizon_value: number;
  readonly data_cutoff: Millis;
}

/** A window computed before the receive time is known: exact for every receive time in [planned at, until). */
export interface WindowPlan {
  readonly origin: SubmissionOrigin;
  /** null: the receive time itself. */
  readonly anchor: Millis | null;
  /** A fixed instant, or that many milliseconds after the receive time. */
  readonly end: { readonly at: Millis } | { readonly after: Millis };
  /** From here on origin, end, flag or admission may differ; `Infinity` when they never will. */
  readonly until: Millis;
  /** The size wanted; what the source lacks is settled at evaluation. */
  readonly bar_size: BarSize;
  /** The window touches time whose sessions are not known: its calendar has weekdays without holidays, or usual hours. */
  readonly calendar_generic: boolean;
}

/** A stock window is checked this far ahead for session time; a submit takes milliseconds. */
const LOOK_AHEAD = HOUR;

/**
 * The window of a decision received at `receivedAt` and, unchanged, until the plan's `until` (evaluation.md sections 1
 * and 2); or the faults of its horizon. How far `data_cutoff` may lie ahead is not judged here.
 */
export function planWindow(call: WindowTerms, receivedAt: Millis): WindowPlan | ProblemDetail[] {
  const outside = horizonFault(call);
  if (outside) return [outside];
  const calendar = calendarOf(call.instrument, receivedAt);
  const staleAfter = lastRealtimeReceipt(calendar, call.data_cutoff);
  const plan =
    receivedAt > staleAfter
      ? retroactivePlan(call, calendar)
      : realtimePlan(call, calendar, receivedAt, staleAfter + 1);
  return isTooShort(call, calendar, windowAt(plan, receivedAt)) ? [tooShortFault(call)] : plan;
}

function isTooShort(call: WindowTerms, calendar: Calendar, { anchor_time, end_time }: Window<Millis>): boolean {
  const needed = sessionTimeNeeded(call, calendar, anchor_time);
  return needed > 0 && openTime(calendar, anchor_time, end_time) < needed;
}

/**
 * The window of a row of a back-test (loop.md section 6): it begins at `data_cutoff`, whenever the row is received, and is
 * over by then; or the faults of its horizon.
 */
export function planPastWindow(call: WindowTerms, receivedAt: Millis): WindowPlan | ProblemDetail[] {
  const outside = horizonFault(call);
  if (outside) return [outside];
  const calendar = calendarOf(call.instrument, receivedAt);
  const plan = retroactivePlan(call, calendar);
  const window = windowAt(plan, receivedAt);
  if (isTooShort(call, calendar, window)) return [tooShortFault(call)];
  if (window.end_time <= receivedAt) return plan;
  const message = `The window ends at ${rfc3339(window.end_time)}: send rows whose windows are over, and submit others as decisions.`;
  return [{ path: 'horizon_value', message, received: call.horizon_value }];
}

/** The window that a plan gives a decision received at `receivedAt`, an instant that the plan holds for. */
export function windowAt({ anchor, end }: Pick<WindowPlan, 'anchor' | 'end'>, receivedAt: Millis): Window<Millis> {
  return { anchor_time: anchor ?? receivedAt, end_time: 'at' in end ? end.at : receivedAt + end.after };
}

/** The end of the window that starts at `anchor`, by the calendar as known now. */
export function endTime(call: Omit<WindowTerms, 'data_cutoff'>, anchor: Millis): Millis {
  return endOn(calendarOf(call.instrument), call, anchor);
}

function endOn(calendar: Calendar, { horizon_kind, horizon_value }: Horizon, anchor: Millis): Millis {
  if (horizon_kind === 'holding_seconds') return anchor + horizon_value * SECOND;
  return calendar.nthFrom(anchor, horizon_value).close;
}

function retroactivePlan(call: WindowTerms, calendar: Calendar): WindowPlan {
  const end = endOn(calendar, call, call.data_cutoff);
  return {
    origin: 'retroactive',
    anchor: call.data_cutoff,
    end: { at: end },
    until: calendar.learned_until,
    bar_size: wantedSize(call.horizon_kind, call.horizon_value),
    calendar_generic: touchesGeneric(calendar, call.data_cutoff, end),
  };
}

function realtimePlan(call: WindowTerms, calendar: Calendar, receivedAt: Millis, staleFrom: Millis): WindowPlan {
  const end = endOn(calendar, call, receivedAt);
  const span = call.horizon_value * SECOND;
  const holding = call.horizon_kind === 'holding_seconds';
  return {
    origin: 'realtime',
    anchor: null,
    end: holding ? { after: span } : { at: end },
    until: Math.min(
      staleFrom,
      holding ? shortFrom(call, calendar, receivedAt) : calendar.nthFrom(receivedAt, 1).open + 1,
      flagChange(calendar, receivedAt, holding ? span : null),
      calendar.learned_until,
    ),
    bar_size: wantedSize(call.horizon_kind, call.horizon_value),
    calendar_generic: touchesGeneric(calendar, receivedAt, end),
  };
}

function shortFrom(call: WindowTerms, calendar: Calendar, at: Millis): Millis {
  const needed = sessionTimeNeeded(call, calendar, at);
  if (needed === 0) return Number.POSITIVE_INFINITY;
  const span = call.horizon_value * SECOND;
  return openTimeFallsBelow(calendar, { at, span, needed, limit: at + LOOK_AHEAD });
}

/** Two bars of session time for a stock whose horizon is in seconds; every other window is long enough by itself. */
function sessionTimeNeeded({ horizon_kind, horizon_value }: WindowTerms, calendar: Calendar, at: Millis): Millis {
  if (calendar.continuous || horizon_kind === 'trading_days') return 0;
  const bar = Math.min(lengthOf(wantedSize(horizon_kind, horizon_value)), calendar.regularSession(at));
  return GRADING.barsInWindow * bar;
}

function tooShortFault({ instrument, horizon_value }: WindowTerms): ProblemDetail {
  return {
    path: 'horizon_value',
    message: `${instrument.venue} trades too little within these ${horizon_value} seconds: send horizon_kind trading_days (1 ends at the close of the next full session), or more seconds.`,
    received: horizon_value,
  };
}

function touchesGeneric({ generic }: Calendar, from: Millis, to: Millis): boolean {
  return generic.some(({ open, close }) => open <= to && from < close);
}

/**
 * The first instant after `at` from which a window may touch other generic time.
 * @param span its length; null for an end that stays
 */
function flagChange({ generic }: Calendar, at: Millis, span: Millis | null): Millis {
  const changes = generic.flatMap(({ open, close }) => (span === null ? [close] : [open - span, close]));
  return Math.min(...changes.filter((change) => change > at));
}

/**
 * The last receive time at which a decision on data up to `data_cutoff` is realtime. A decision received later is
 * retroactive: more market-open time than two sessions, for crypto two hours, is between cutoff and receipt
 * (evaluation.md section 1).
 */
function lastRealtimeReceipt(calendar: Calendar, data_cutoff: Millis): Millis {
  return lastInstantWithin(calendar, data_cutoff, staleLimit(calendar, data_cutoff));
}

function staleLimit(calendar: Calendar, at: Millis): Millis {
  return calendar.continuous ? GRADING.retroactiveCrypto : GRADING.retroactiveSessions * calendar.regularSession(at);
}

export interface Horizon {
  readonly horizon_kind: HorizonKind;
  /** Seconds, or full sessions. */
  readonly horizon_value: number;
}

/** What is wrong with a horizon, whatever the instrument (evaluation.md section 2: admission bounds). */
export function horizonFault({ horizon_kind, horizon_value }: Horizon): ProblemDetail | undefined {
  const { min, max } = HORIZON_BOUNDS[horizon_kind];
  if (Number.isInteger(horizon_value) && horizon_value >= min && horizon_value <= max) return undefined;
  const unit = horizon_kind === 'trading_days' ? 'sessions' : 'seconds';
  return {
    path: 'horizon_value',
    message: `For ${horizon_kind} send a whole number of ${unit} from ${min} to ${max}.`,
    received: horizon_value,
  };
}

function range({ min, max }: { readonly min: number; readonly max: number }): string {
  return `${min.toLocaleString('en-US')} to ${max.toLocaleString('en-US')}`;
}

/** The bar size that a horizon is evaluated on where the source has it (evaluation.md section 2). */
export function wantedSize(kind: HorizonKind, value: number): BarSize {
  if (kind === 'trading_days') return GRADING.tradingDaySizes.find(({ upTo }) => value <= upTo)?.size ?? '1d';
  return GRADING.holdingSizes.find(({ upTo }) => value * SECOND <= upTo)?.size ?? '1d';
}

/**
 * The latest price event that may be the entry of a window by `eval/1`: within 15 minutes or one bar, for a stock by the end of the
 * next session's first bar (evaluation.md section 6).
 */
export function entryDeadline(calendar: Calendar, size: BarSize, anchor: Millis): Millis {
  if (calendar.continuous) return anchor + Math.max(GRADING.entryWithin, lengthOf(size));
  const { open, close } = calendar.nthFrom(anchor, 1);
  return Math.min(open + lengthOf(size), close);
}

/**
 * The latest trade that may be the entry of a window by `eval/2`: 15 minutes or one bar, whichever is longer, after the
 * anchor; for a stock after the open of the next session, no later than its close (evaluation-2.md section 1).
 */
export function tradeDeadline(calendar: Calendar, size: BarSize, anchor: Millis): Millis {
  const wait = Math.max(GRADING.entryWithin, lengthOf(size));
  if (calendar.continuous) return anchor + wait;
  const { open, close } = calendar.nthFrom(anchor, 1);
  return Math.min(open + wait, close);
}

/**
 * The earliest time that the last bar of a complete series may end at, by `eval/1`. A few quiet minutes before the end do not
 * indicate missing prices; a missing hour or day does.
 */
export function lastBarDue(calendar: Calendar, size: BarSize, end: Millis): Millis {
  return lastEvent(calendar, size, end - quietTime(size));
}

/** How long before the end of a window missing bars do not indicate a late source. */
export function quietTime(size: BarSize): Millis {
  return lengthOf(size) < GRADING.entryWithin ? GRADING.entryWithin : 0;
}
