import { Problem } from '../problem.ts';
import { later, type Millis } from '../time.ts';
import type { Coin } from './coin.ts';
import type { Peg } from './peg.ts';
import { type Resolution, refuseFaultyReason, refuseFaultyResolution } from './resolution.ts';

/** The states of a stablecoin's circuit (interface.md 3.2). */
export const CIRCUIT_STATES = ['normal', 'warming', 'tripped'] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

/** What changes a circuit: an operator (`trip`, `resolve`), else the monitor. */
export const CIRCUIT_CAUSES = ['trip', 'resolve', 'auto_trip', 'relapse', 'recovery'] as const;
export type CircuitCause = (typeof CIRCUIT_CAUSES)[number];

/** One change of a circuit, stored for ever (settled.md section 9). */
export interface CircuitSnapshot {
  readonly id: string;
  readonly coin: Coin;
  readonly from: CircuitState;
  readonly to: CircuitState;
  readonly cause: CircuitCause;
  /** An owner_id, `command line` or `monitor`. */
  readonly actor: string;
  /** null for a resolution, which has a justification and evidence instead. */
  readonly reason: string | null;
  readonly justification: string | null;
  readonly evidence_urls: readonly string[] | null;
  readonly at: Date;
}

export interface Circuit {
  readonly coin: Coin;
  readonly state: CircuitState;
  /** Since when it has been in this state; null for a circuit that never changed. A repeated trip does not move it. */
  readonly since: Date | null;
  readonly snapshot_id: string | null;
  /** The time of the newest snapshot. */
  readonly snapshot_at: Date | null;
  /** The reason, or the justification, of the newest snapshot. */
  readonly reason: string | null;
  /** The newest observation that had its quorum. */
  readonly peg: Peg | null;
  /** When the monitor last looked, whatever it found. */
  readonly looked_at: Date | null;
  readonly runs: Runs;
}

/**
 * How long the observations up to the newest have been as they are. Each run begins with an observation and ends at a
 * gap of more than 10 minutes.
 */
export interface Runs {
  /** Drift below 50 bps; while tripped, counted from the newest trip. */
  readonly below_since: Date | null;
  /** 50 bps or more. */
  readonly above_since: Date | null;
  /** 100 bps or more. */
  readonly trip_since: Date | null;
  /** Consecutive observations of 200 bps or more. */
  readonly at_once: number;
}

/** Whether a run that began at `since` is at least as long as `length` by now; null: there is no such run. */
export function hasLasted(since: Date | null, length: Millis, now: Date): boolean {
  return since !== null && now.getTime() - since.getTime() >= length;
}

export const NO_RUNS: Runs = { below_since: null, above_since: null, trip_since: null, at_once: 0 };

/** A circuit after a rule, with what to store of the change. */
export interface CircuitStep {
  readonly circuit: Circuit;
  /** null unless the state was changed or confirmed. */
  readonly snapshot: CircuitSnapshot | null;
  /** The observation, if it counts. */
  readonly observation: Peg | null;
}

/** The id of the snapshot, and who makes the change. */
export interface ChangeOrigin {
  readonly id: string;
  readonly actor: string;
}

/**
 * An operator trips a circuit, from any state (interface.md 3.2). Tripping a tripped one starts its recovery anew: it
 * begins with the first sub-threshold observation that follows. `since` stays.
 * @param reason 1 to 500 characters
 * @throws Problem VALIDATION_ERROR
 */
export function trip(circuit: Circuit, origin: ChangeOrigin, reason: string, now: Date): CircuitStep {
  refuseFaultyReason(reason);
  return changed(circuit, { ...origin, to: 'tripped', cause: 'trip', reason }, now);
}

/**
 * An operator ends the isolation of a coin whose circuit is warming (interface.md 3.2). Runs continue: a drift that
 * trips does so even if it began before.
 * @throws Problem VALIDATION_ERROR, CIRCUIT_NOT_WARMING
 */
export function resolve(circuit: Circuit, origin: ChangeOrigin, resolution: Resolution, now: Date): CircuitStep {
  refuseFaultyResolution(resolution);
  if (circuit.state !== 'warming') {
    throw new Problem('CIRCUIT_NOT_WARMING', `The circuit of ${circuit.coin} is ${circuit.state}.`);
  }
  return changed(circuit, { ...origin, to: 'normal', cause: 'resolve', reason: null, ...resolution }, now);
}

export type Change = ChangeOrigin & Pick<CircuitSnapshot, 'to' | 'cause' | 'reason'> & Partial<Resolution>;

/** A change of state that the observations call for. */
export type DueChange = Pick<Change, 'to' | 'cause' | 'reason'>;

/** The step of a change of state. */
export function changed(circuit: Circuit, change: Change, now: Date): CircuitStep {
  const { coin, state: from, since, snapshot_at } = circuit;
  // When the clock was set back, a snapshot takes the time of the one before it.
  const at = snapshot_at ? later(snapshot_at, now) : now;
  const snapshot = { justification: null, evidence_urls: null, ...change, coin, from, at };
  const { below_since } = circuit.runs;
  const runs = { ...circuit.runs, below_since: snapshot.to === 'tripped' ? null : below_since };
  const state = stateAfterSnapshot(snapshot, snapshot.to === from ? since : at);
  return { circuit: { ...circuit, runs, ...state }, snapshot, observation: null };
}

/**
 * The state that the newest snapshot gives a circuit; without one it is normal.
 * @param since the time of the newest snapshot that changed the state
 */
export function stateAfterSnapshot(snapshot: CircuitSnapshot | null, since: Date | null) {
  if (!snapshot) return { state: 'normal', since: null, snapshot_id: null, snapshot_at: null, reason: null } as const;
  const { to, at, id, reason, justification } = snapshot;
  return { state: to, since, snapshot_id: id, snapshot_at: at, reason: reason ?? justification };
}
