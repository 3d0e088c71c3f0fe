import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit-log.ts';
import {
  type ChangeOrigin,
  type Circuit,
  type CircuitSnapshot,
  type CircuitStep,
  resolve,
  trip,
} from '../../domain/circuits/circuit.ts';
import { type CircuitView, circuitView } from '../../domain/circuits/circuit-view.ts';
import type { Coin } from '../../domain/circuits/coin.ts';
import type { Resolution } from '../../domain/circuits/resolution.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import type { Ports } from '../ports.ts';

type CircuitPorts = Pick<Ports, 'transaction' | 'announce'>;

/**
 * Trips the circuit of a coin, whatever its state (interface.md 3.2). Every submission sent after this has returned is
 * isolated.
 * @param reason 1 to 500 characters
 * @param actor who does it, for the history and the audit log
 * @throws Problem VALIDATION_ERROR
 */
export function tripCircuit(ports: CircuitPorts, coin: Coin, reason: string, actor: string): Promise<CircuitView> {
  const rule = (circuit: Circuit, origin: ChangeOrigin, now: Date) => trip(circuit, origin, reason, now);
  return change(ports, coin, actor, 'trip_circuit', rule);
}

/**
 * Declares a coin whose circuit is warming sound again (interface.md 3.2).
 * @param actor who does it, for the history and the audit log
 * @throws Problem VALIDATION_ERROR, CIRCUIT_NOT_WARMING
 */
export function resolveCircuit(
  ports: CircuitPorts,
  coin: Coin,
  resolution: Resolution,
  actor: string,
): Promise<CircuitView> {
  const rule = (circuit: Circuit, origin: ChangeOrigin, now: Date) => resolve(circuit, origin, resolution, now);
  return change(ports, coin, actor, 'resolve_circuit', rule);
}

/** The id of a snapshot that is made now. */
export function snapshotId(now: Date): string {
  return uuidV7(now, randomBytes(10));
}

async function change(
  { transaction, announce }: CircuitPorts,
  coin: Coin,
  actor: string,
  action: string,
  rule: (circuit: Circuit, origin: ChangeOrigin, now: Date) => CircuitStep,
): Promise<CircuitView> {
  const { circuit, snapshot } = await transaction(async ({ circuits, audit }) => {
    const step = await circuits.transition(coin, (before, now) => rule(before, { id: snapshotId(now), actor }, now));
    const { snapshot: made } = step;
    if (!made) throw new TypeError('An operator’s change of a circuit has a snapshot');
    await audit.append(entryOf(action, made));
    return { circuit: step.circuit, snapshot: made };
  });
  announce(snapshot);
  return circuitView(circuit, snapshot.at);
}

function entryOf(action: string, snapshot: CircuitSnapshot): AuditEntry {
  const { actor, coin, id, from, to, reason, justification, evidence_urls } = snapshot;
  const why = reason === null ? { justification, evidence_urls } : { reason };
  return { actor, action, subject: coin, detail: { snapshot_id: id, from, to, ...why } };
}
