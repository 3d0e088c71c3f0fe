import { CIRCUIT } from '../limits.ts';
import type { Circuit } from './circuit.ts';
import { continuesRuns } from './observe.ts';

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
