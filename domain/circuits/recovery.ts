import { CIRCUIT } from '../limits.ts';
import { HOUR } from '../time.ts';
import { type Circuit, type DueChange, hasLasted } from './circuit.ts';

/**
 * A tripped circuit becomes warming after 24 hours of observations below 50 bps without a gap above 10 minutes
 * (settled.md section 9); null: not yet. A gap ends the run (`runsGoOn`).
 */
export function dueRecovery({ runs }: Pick<Circuit, 'runs'>, observed_at: Date): DueChange | null {
  return hasLasted(runs.below_since, CIRCUIT.recovery, observed_at) ? RECOVERED : null;
}

const RECOVERED: DueChange = {
  to: 'warming',
  cause: 'recovery',
  reason: `Every observation of ${CIRCUIT.recovery / HOUR} hours was below ${CIRCUIT.subThresholdBps} bps.`,
};
