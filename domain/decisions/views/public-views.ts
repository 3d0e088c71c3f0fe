import type { OutcomeFacts, ResultBucket } from '../../grading/outcome.ts';
import { tauWithNights } from '../../grading/paths/volatility.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import { MINUTE, SECOND } from '../../time.ts';
import type { Window } from '../call.ts';
import {
  type Decision,
  type DecisionHeader,
  type DecisionStatus,
  furtherHorizon,
  headerOf,
  type StoredHeader,
} from '../decision.ts';
import { type Faulted, faultOf, hasFigures, type RowFigures } from './record-fault.ts';

/** A public record as stored, a row of its cohort (interface.md 2.2); it names no owner and no agent. */
export interface PublicRow extends StoredHeader, RowFigures, Pick<Decision, 'group_place'> {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: Date;
  /** The regime's label. */
  readonly created_regime: string | null;
}

/** A public decision handle: a public record as a cohort lists it (settled.md section 6). */
export interface PublicHandle extends DecisionHeader, Pick<PublicRow, 'result_bucket' | 'created_regime'>, Faulted {
  /** To the minute, rounded up. */
  readonly evaluated_at: Date;
  /** null where the fault says so. */
  readonly path: ReadableFigures | null;
  /** Another horizon of the decision leads; absent of every other record. */
  readonly further_horizon?: true;
  /** Only where all five identity fields are pinned; null when it is unknown. */
  readonly cohort_current_regime?: string | null;
}

interface ReadableFigures extends RowFigures {
  readonly raw_return: number;
  readonly mae: number;
}

export function publicHandle(row: PublicRow): PublicHandle {
  return {
    ...headerOf(row),
    result_bucket: row.result_bucket,
    evaluated_at: publicEvaluationTime(row.evaluated_at),
    created_regime: row.created_regime,
    ...publicPath(row),
    ...furtherHorizon(row),
  };
}

function publicPath(row: RowFigures): Pick<PublicHandle, 'path' | 'fault'> {
  if (!hasFigures(row)) return { path: null, ...faultOf(['path']) };
  const { raw_return, directional_return, mfe, mae } = row;
  return { path: { raw_return, directional_return, mfe, mae } };
}

type GradedWindow = Pick<DecisionStatus, 'market' | 'venue' | 'anchor_time' | 'end_time'>;

/**
 * The facts as others see them, counted from the window that they see: the exact times from anchor to entry, from exit
 * to end and of the window would reveal the receipt of a realtime record to the millisecond (settled.md section 14).
 * @param exact the record, with its exact window
 * @param shown its window as others see it, to the minute
 */
export function publicFacts(facts: OutcomeFacts, exact: GradedWindow, shown: Window): OutcomeFacts {
  if (facts.method === 'eval/1') return facts;
  const { entry, exit } = facts;
  return {
    ...facts,
    grid_z: publicGridZ(facts, exact, shown),
    seconds_to_entry: (Date.parse(entry.time) - shown.anchor_time.getTime()) / SECOND,
    seconds_after_exit: (shown.end_time.getTime() - Date.parse(exit.time)) / SECOND,
  };
}

/** In sigmas of the window that is shown. */
function publicGridZ(
  { grid_z, omega }: Exclude<OutcomeFacts, { method: 'eval/1' }>,
  exact: GradedWindow,
  shown: Window,
) {
  if (+exact.anchor_time === +shown.anchor_time && +exact.end_time === +shown.end_time) return grid_z;
  const calendar = calendarOf(exact);
  const tauOf = ({ anchor_time, end_time }: Window) =>
    tauWithNights(calendar, omega, anchor_time.getTime(), end_time.getTime());
  const [tau, tauShown] = [tauOf(exact), tauOf(shown)];
  return tau === tauShown || tauShown <= 0 ? grid_z : grid_z * Math.sqrt(tau / tauShown);
}

/**
 * The start of its UTC minute: others see times of receipt no more precisely, and the window of a realtime record, which
 * starts at its receipt.
 */
export function minuteOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);
}

/**
 * The time of an evaluation as others see it: a whole UTC minute, never before the evaluation. A grade follows the end of
 * a window, or the receipt of a retroactive record, within seconds, so that the exact time would show the receipt.
 */
export function publicEvaluationTime(evaluated_at: Date): Date {
  return new Date(Math.ceil(evaluated_at.getTime() / MINUTE) * MINUTE);
}
