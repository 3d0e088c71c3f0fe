import type { OutcomeFacts } from '../../grading/outcome.ts';
import { tauWithNights } from '../../grading/paths/nights.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import { SECOND } from '../../time.ts';
import type { Window } from '../call.ts';
import type { DecisionStatus } from '../decision.ts';

type GradedWindow = Pick<DecisionStatus, 'market' | 'venue' | 'anchor_time' | 'end_time'>;

/**
 * The facts as others see them, counted from the window that they see: the exact times from anchor to entry, from exit
 * to end and of the window would reveal the receipt of a realtime record to the millisecond (settled.md section 14).
 * @param exact the record, with its exact window
 * @param shown its window as others see it, to the minute
 */
export function publicFacts(facts: OutcomeFacts, exact: GradedWindow, shown: Window): OutcomeFacts {
  if (facts.method === 'eval/1') return facts;
  const calendar = calendarOf(exact);
  const tauOf = ({ anchor_time, end_time }: Window) =>
    tauWithNights(calendar, facts.omega, anchor_time.getTime(), end_time.getTime());
  const [tau, tauShown] = [tauOf(exact), tauOf(shown)];
  const { entry, exit, grid_z } = facts;
  return {
    ...facts,
    grid_z: tau === tauShown || tauShown <= 0 ? grid_z : grid_z * Math.sqrt(tau / tauShown),
    seconds_to_entry: (Date.parse(entry.time) - shown.anchor_time.getTime()) / SECOND,
    seconds_after_exit: (shown.end_time.getTime() - Date.parse(exit.time)) / SECOND,
  };
}
