import type { HorizonKind, SubmissionOrigin, Window } from '../../decisions/call.ts';
import { lengthOf } from '../../market/bar-size.ts';
import type { BarSize } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import type { Instrument } from '../../market/instrument.ts';
import { openTime, openTimeFallsBelow } from '../../market/open-time.ts';
import type { ProblemDetail } from '../../problem.ts';
import { HOUR, type Millis, SECOND } from '../../time.ts';
import { GRADING } from '../method-numbers.ts';
import { horizonFault } from './horizon.ts';
import { lastRealtimeReceipt } from './submission-origin.ts';
import { wantedSize } from './wanted-size.ts';

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
  /** The calendar has no holidays, only weekdays, for the year of the anchor or of the end. */
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
  const calendar = calendarOf(call.instrument);
  const staleAfter = lastRealtimeReceipt(calendar, call.data_cutoff);
  const plan =
    receivedAt > staleAfter
      ? retroactivePlan(call, calendar)
      : realtimePlan(call, calendar, receivedAt, staleAfter + 1);
  const needed = sessionTimeNeeded(call, calendar);
  const { anchor_time, end_time } = windowAt(plan, receivedAt);
  const tooShort = needed > 0 && openTime(calendar, anchor_time, end_time) < needed;
  return tooShort ? [tooShortFault(call)] : plan;
}

/** The window that a plan gives a decision received at `receivedAt`, an instant that the plan holds for. */
export function windowAt({ anchor, end }: Pick<WindowPlan, 'anchor' | 'end'>, receivedAt: Millis): Window<Millis> {
  return { anchor_time: anchor ?? receivedAt, end_time: 'at' in end ? end.at : receivedAt + end.after };
}

/** The end of the window that starts at `anchor`, by the calendar as known now. */
export function endTime(call: Omit<WindowTerms, 'data_cutoff'>, anchor: Millis): Millis {
  if (call.horizon_kind === 'holding_seconds') return anchor + call.horizon_value * SECOND;
  return calendarOf(call.instrument).nthFrom(anchor, call.horizon_value).close;
}

function retroactivePlan(call: WindowTerms, calendar: Calendar): WindowPlan {
  const end = endTime(call, call.data_cutoff);
  return {
    origin: 'retroactive',
    anchor: call.data_cutoff,
    end: { at: end },
    until: Number.POSITIVE_INFINITY,
    bar_size: wantedSize(call.horizon_kind, call.horizon_value),
    calendar_generic: calendar.isGeneric(call.data_cutoff) || calendar.isGeneric(end),
  };
}

function realtimePlan(call: WindowTerms, calendar: Calendar, receivedAt: Millis, staleFrom: Millis): WindowPlan {
  const end = endTime(call, receivedAt);
  const span = call.horizon_value * SECOND;
  const holding = call.horizon_kind === 'holding_seconds';
  return {
    origin: 'realtime',
    anchor: null,
    end: holding ? { after: span } : { at: end },
    until: Math.min(
      staleFrom,
      holding ? shortFrom(call, calendar, receivedAt) : calendar.nthFrom(receivedAt, 1).open + 1,
      holding ? nextYear(end) - span : Number.POSITIVE_INFINITY,
    ),
    bar_size: wantedSize(call.horizon_kind, call.horizon_value),
    calendar_generic: calendar.isGeneric(receivedAt) || calendar.isGeneric(end),
  };
}

function shortFrom(call: WindowTerms, calendar: Calendar, at: Millis): Millis {
  const needed = sessionTimeNeeded(call, calendar);
  if (needed === 0) return Number.POSITIVE_INFINITY;
  const span = call.horizon_value * SECOND;
  return openTimeFallsBelow(calendar, { at, span, needed, limit: at + LOOK_AHEAD });
}

/** Two bars of session time for a stock whose horizon is in seconds; every other window is long enough by itself. */
function sessionTimeNeeded({ horizon_kind, horizon_value }: WindowTerms, calendar: Calendar): Millis {
  if (calendar.continuous || horizon_kind === 'trading_days') return 0;
  const bar = Math.min(lengthOf(wantedSize(horizon_kind, horizon_value)), calendar.regular_session);
  return GRADING.barsInWindow * bar;
}

function tooShortFault({ instrument, horizon_value }: WindowTerms): ProblemDetail {
  return {
    path: 'horizon_value',
    message: `${instrument.venue} trades too little within these ${horizon_value} seconds: send horizon_kind trading_days (1 ends at the close of the next full session), or more seconds.`,
    received: horizon_value,
  };
}

function nextYear(at: Millis): Millis {
  return Date.UTC(new Date(at).getUTCFullYear() + 1, 0, 1);
}
