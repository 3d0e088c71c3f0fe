import {
  type Circuit,
  type CircuitSnapshot,
  type CircuitState,
  resolve,
  trip,
} from '../../../domain/circuits/circuit.ts';
import { observe } from '../../../domain/circuits/observe.ts';
import { MINUTE, type Millis } from '../../../domain/time.ts';
import { aCircuit, quotesOf } from '../../builders/circuits.ts';

export const START = Date.parse('2026-03-02T12:00:00.000Z');

/** An event of a circuit at `at`, in milliseconds from the start; `null` is a look without a quorum. */
export type Happening =
  | { readonly at: Millis; readonly drift: number | null }
  | { readonly at: Millis; readonly operator: 'trip' | 'resolve' };

export interface Played {
  readonly circuit: Circuit;
  readonly snapshots: readonly CircuitSnapshot[];
  /** After each event. */
  readonly states: readonly CircuitState[];
}

/** Plays events one after the other; a resolution that is refused changes nothing. */
export function play(happenings: readonly Happening[], from: Circuit = aCircuit(), autoTrip = true): Played {
  let circuit = from;
  const snapshots: CircuitSnapshot[] = [];
  const states: CircuitState[] = [];
  for (const [index, happening] of happenings.entries()) {
    const step = stepOf(circuit, happening, String(index), autoTrip);
    circuit = step?.circuit ?? circuit;
    if (step?.snapshot) snapshots.push(step.snapshot);
    states.push(circuit.state);
  }
  return { circuit, snapshots, states };
}

function stepOf(circuit: Circuit, happening: Happening, id: string, autoTrip: boolean) {
  const now = new Date(START + happening.at);
  if (!('operator' in happening)) {
    const { drift } = happening;
    return observe(circuit, drift === null ? [] : quotesOf(drift, now), now, { id, autoTrip });
  }
  const doing = { id, actor: 'operator' };
  if (happening.operator === 'trip') return trip(circuit, doing, 'a reason', now);
  if (circuit.state !== 'warming') return null;
  return resolve(circuit, doing, { justification: 'sound', evidence_urls: ['https://example.com'] }, now);
}

/** A look each minute, the first at `from`, the last at `to`. */
export function everyMinute(from: Millis, to: Millis, drift: number): Happening[] {
  const looks: Happening[] = [];
  for (let at = from; at <= to; at += MINUTE) looks.push({ at, drift });
  return looks;
}
