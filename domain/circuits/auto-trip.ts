import { CIRCUIT } from '../limits.ts';
import { MINUTE } from '../time.ts';
import { type Circuit, type DueChange, hasLasted } from './circuit.ts';
import type { Peg } from './peg.ts';

/**
 * The trip that the newest observation, which the runs contain, calls for (settled.md section 9): a drift of 200 bps in
 * 3 observations running or of 100 bps for 15 minutes, while warming also of 50 bps for 15 minutes; null: none.
 * @param circuit one that is not tripped
 */
export function dueTrip({ state, runs }: Circuit, { drift_bps, observed_at }: Peg): DueChange | null {
  const tripped = (cause: 'auto_trip' | 'relapse', rule: string): DueChange => {
    return { to: 'tripped', cause, reason: `A drift of ${drift_bps} bps: ${rule}.` };
  };
  if (runs.at_once >= CIRCUIT.tripAtOnceObservations) return tripped('auto_trip', RULES.atOnce);
  if (hasLasted(runs.trip_since, CIRCUIT.tripAfter, observed_at)) return tripped('auto_trip', RULES.lasting);
  const relapsed = state === 'warming' && hasLasted(runs.above_since, CIRCUIT.relapseAfter, observed_at);
  return relapsed ? tripped('relapse', RULES.relapse) : null;
}

const RULES = {
  atOnce: `at least ${CIRCUIT.tripAtOnceBps} bps in ${CIRCUIT.tripAtOnceObservations} observations running`,
  lasting: `at least ${CIRCUIT.tripBps} bps for ${CIRCUIT.tripAfter / MINUTE} minutes`,
  relapse: `at least ${CIRCUIT.subThresholdBps} bps for ${CIRCUIT.relapseAfter / MINUTE} minutes while warming`,
} as const;
