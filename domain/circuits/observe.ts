import { CIRCUIT } from '../limits.ts';
import { HOUR, MINUTE } from '../time.ts';
import {
  type ChangeOrigin,
  type Circuit,
  type CircuitStep,
  changed,
  type DueChange,
  hasLasted,
  NO_RUNS,
  type Runs,
} from './circuit.ts';
import { type Peg, pegOf, type RawPegQuote } from './peg.ts';

const RULES = {
  atOnce: `at least ${CIRCUIT.tripAtOnceBps} bps in ${CIRCUIT.tripAtOnceObservations} observations running`,
  lasting: `at least ${CIRCUIT.tripBps} bps for ${CIRCUIT.tripAfter / MINUTE} minutes`,
  relapse: `at least ${CIRCUIT.subThresholdBps} bps for ${CIRCUIT.relapseAfter / MINUTE} minutes while warming`,
} as const;

const RECOVERED: DueChange = {
  to: 'warming',
  cause: 'recovery',
  reason: `Every observation of ${CIRCUIT.recovery / HOUR} hours was below ${CIRCUIT.subThresholdBps} bps.`,
};

export interface Observing extends Pick<ChangeOrigin, 'id'> {
  /** False: the monitor never trips, neither from normal nor from warming; it still warms tripped circuits. */
  readonly autoTrip: boolean;
}

/** The actor of the monitor's snapshots. */
const MONITOR = 'monitor';

/**
 * The monitor looks at a coin (settled.md section 9). Without a quorum the state stays and runs neither grow nor end,
 * unless that lasts: a gap of more than 10 minutes between two observations ends every run. A look within 45 seconds of
 * the last observation comes from another process and changes nothing, so that no minute counts twice.
 * @param quotes what the sources sent, fresh or not
 */
export function observe(
  circuit: Circuit,
  quotes: readonly RawPegQuote[],
  now: Date,
  { id, autoTrip }: Observing,
): CircuitStep {
  if (isTwin(circuit.peg, now)) return { circuit, snapshot: null, observation: null };
  const observation = pegOf(quotes, now);
  if (!observation) return { circuit: { ...circuit, looked_at: now }, snapshot: null, observation };
  const seen = { ...circuit, peg: observation, looked_at: now, runs: runsAfter(circuit, observation) };
  const due = dueChange(seen, observation, autoTrip);
  const step = due && changed(seen, { id, actor: MONITOR, ...due }, now);
  return step ? { ...step, observation } : { circuit: seen, snapshot: null, observation };
}

/**
 * Whether the newest observation says nothing about now: it is over 5 minutes away (ahead, where the clock was set
 * back), a later look failed, or there is none.
 */
export function isStale(circuit: Circuit, now: Date): boolean {
  const { peg } = circuit;
  if (!peg || observationFailed(circuit)) return true;
  return Math.abs(now.getTime() - peg.observed_at.getTime()) > CIRCUIT.sourceFreshness;
}

/** Whether the newest look found no quorum; a monitor that was stopped has not looked. */
export function observationFailed({ looked_at, peg }: Pick<Circuit, 'looked_at' | 'peg'>): boolean {
  return looked_at !== null && looked_at.getTime() !== peg?.observed_at.getTime();
}

/** Whether an observation made now would continue the runs before it. */
function continuesRuns({ peg }: Circuit, now: Date): boolean {
  if (!peg) return false;
  const gap = now.getTime() - peg.observed_at.getTime();
  return gap >= 0 && gap <= CIRCUIT.recoveryGap;
}

/**
 * An observation a little before the last one comes from another process that had to wait; far before it, the clock was
 * set back and the runs begin anew.
 */
function isTwin(last: Peg | null, now: Date): boolean {
  if (!last) return false;
  const spacing = now.getTime() - last.observed_at.getTime();
  return spacing < CIRCUIT.leastSpacing && spacing >= -CIRCUIT.sourceFreshness;
}

function runsAfter(circuit: Circuit, { drift_bps, observed_at }: Peg): Runs {
  const before = continuesRuns(circuit, observed_at) ? circuit.runs : NO_RUNS;
  const since = (holds: boolean, began: Date | null) => (holds ? (began ?? observed_at) : null);
  return {
    below_since: since(drift_bps < CIRCUIT.subThresholdBps, before.below_since),
    above_since: since(drift_bps >= CIRCUIT.subThresholdBps, before.above_since),
    trip_since: since(drift_bps >= CIRCUIT.tripBps, before.trip_since),
    at_once: drift_bps >= CIRCUIT.tripAtOnceBps ? before.at_once + 1 : 0,
  };
}

function dueChange(circuit: Circuit, observation: Peg, autoTrip: boolean): DueChange | null {
  if (circuit.state === 'tripped') return dueRecovery(circuit, observation.observed_at);
  return autoTrip ? dueTrip(circuit, observation) : null;
}

/**
 * A tripped circuit becomes warming after 24 hours of observations below 50 bps without a gap above 10 minutes
 * (settled.md section 9); null: not yet. A gap ends the run (`continuesRuns`).
 */
function dueRecovery({ runs }: Pick<Circuit, 'runs'>, observed_at: Date): DueChange | null {
  return hasLasted(runs.below_since, CIRCUIT.recovery, observed_at) ? RECOVERED : null;
}

/**
 * The trip that the newest observation, which the runs contain, calls for (settled.md section 9): a drift of 200 bps in
 * 3 observations running or of 100 bps for 15 minutes, while warming also of 50 bps for 15 minutes; null: none.
 * @param circuit one that is not tripped
 */
function dueTrip({ state, runs }: Circuit, { drift_bps, observed_at }: Peg): DueChange | null {
  const tripped = (cause: 'auto_trip' | 'relapse', rule: string): DueChange => {
    return { to: 'tripped', cause, reason: `A drift of ${drift_bps} bps: ${rule}.` };
  };
  if (runs.at_once >= CIRCUIT.tripAtOnceObservations) return tripped('auto_trip', RULES.atOnce);
  if (hasLasted(runs.trip_since, CIRCUIT.tripAfter, observed_at)) return tripped('auto_trip', RULES.lasting);
  const relapsed = state === 'warming' && hasLasted(runs.above_since, CIRCUIT.relapseAfter, observed_at);
  return relapsed ? tripped('relapse', RULES.relapse) : null;
}

/** What operators see of a circuit (settled.md section 9). */
export interface CircuitView extends Pick<Circuit, 'coin' | 'state' | 'since' | 'snapshot_id' | 'reason' | 'peg'> {
  readonly recovery: Recovery | null;
}

export interface Recovery {
  /** The time since when every observation has been below 50 bps; null for a warming coin while one is not. */
  readonly sub_threshold_since: Date | null;
  /** For a tripped circuit, when it will warm if the drift stays below; for a warming one, when it became so. */
  readonly warming_at: Date;
}

/** What anyone may see of it: without the actor, the reason and the evidence, which can name people. */
export interface PublicCircuit extends Pick<Circuit, 'coin' | 'state' | 'since'> {
  readonly peg: { readonly price: number; readonly drift_bps: number; readonly observed_at: Date } | null;
}

export function publicCircuit({ coin, state, since, peg }: Circuit): PublicCircuit {
  const seen = peg && { price: peg.price, drift_bps: peg.drift_bps, observed_at: peg.observed_at };
  return { coin, state, since, peg: seen };
}

export function circuitView(circuit: Circuit, now: Date): CircuitView {
  const { coin, state, since, snapshot_id, reason, peg } = circuit;
  return { coin, state, since, snapshot_id, reason, peg, recovery: recoveryOf(circuit, now) };
}

function recoveryOf(circuit: Circuit, now: Date): Recovery | null {
  const { state, since, runs } = circuit;
  const sub_threshold_since = continuesRuns(circuit, now) ? runs.below_since : null;
  if (state === 'warming' && since) return { sub_threshold_since, warming_at: since };
  if (state !== 'tripped' || !sub_threshold_since) return null;
  return { sub_threshold_since, warming_at: new Date(sub_threshold_since.getTime() + CIRCUIT.recovery) };
}
