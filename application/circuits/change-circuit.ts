import { randomBytes } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit-log.ts';
import {
  type ChangeOrigin,
  type Circuit,
  type CircuitSnapshot,
  type CircuitStep,
  type Resolution,
  resolve,
  trip,
} from '../../domain/circuits/circuit.ts';
import { COINS, type Coin } from '../../domain/circuits/coin.ts';
import {
  type CircuitView,
  circuitView,
  observationFailed,
  observe,
  type PublicCircuit,
  publicCircuit,
} from '../../domain/circuits/observe.ts';
import { type PegSource, pegPath, pegStretch } from '../../domain/circuits/peg.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import { HOUR, SECOND } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
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
function snapshotId(now: Date): string {
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

type MonitorPorts = Pick<Ports, 'circuits' | 'pegSource' | 'settings' | 'announce' | 'announcePeg'>;

/**
 * The monitor looks at every coin once (settled.md section 9), asking all exchanges at once before anything is locked.
 * Changes are announced to the operators: of a circuit, and of whether a coin's price is known. Several processes may
 * look in the same minute: the first to write makes the observation. Without exchanges nothing is looked at and nothing
 * changes.
 */
export async function observePegs(ports: MonitorPorts): Promise<void> {
  const { pegSource } = ports;
  if (pegSource) await Promise.all(COINS.map((coin) => look(ports, pegSource, coin)));
}

async function look(
  { circuits, settings, announce, announcePeg }: MonitorPorts,
  pegSource: PegSource,
  coin: Coin,
): Promise<void> {
  const quotes = await pegSource.quotes(coin);
  const stale = { before: false, after: false };
  const { snapshot } = await circuits.transition(coin, (circuit, now) => {
    const step = observe(circuit, quotes, now, { id: snapshotId(now), autoTrip: settings.autoTrip });
    stale.before = observationFailed(circuit);
    stale.after = observationFailed(step.circuit);
    return step;
  });
  if (snapshot) announce(snapshot);
  if (stale.before !== stale.after) announcePeg(coin, { stale: stale.after });
}

/** The circuits of all coins (interface.md 4.1), as stored at this moment. */
export async function listCircuits({ circuits, clock }: Pick<Ports, 'circuits' | 'clock'>): Promise<CircuitView[]> {
  const [all, now] = await Promise.all([circuits.all(), clock.now()]);
  return all.map((circuit) => circuitView(circuit, now));
}

/** The same for anyone: the facts behind an isolation, without who decided it. */
export async function listPublicCircuits({ circuits }: Pick<Ports, 'circuits'>): Promise<PublicCircuit[]> {
  return (await circuits.all()).map(publicCircuit);
}

/**
 * A page of a coin's snapshots, the newest first (settled.md sections 9 and 12).
 * @throws Problem VALIDATION_ERROR for a cursor that is not of this coin's history
 */
export async function circuitHistory(
  { circuits, settings }: Pick<Ports, 'circuits' | 'settings'>,
  coin: Coin,
  { cursor, limit }: CursorQuery,
): Promise<CursorPage<CircuitSnapshot>> {
  const about = ['circuit history', coin];
  const before = sealedPlace(settings.sessionSecret, about, cursor) as string | null;
  const { rows: items, last } = await cutPage((most) => circuits.history(coin, before, most), limit);
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.id) : null };
}

/** What was observed of a coin in the last hours, 1 to those of `CIRCUIT.keepObservations`. */
export async function pegHistory({ circuits, clock }: Pick<Ports, 'circuits' | 'clock'>, coin: Coin, hours: number) {
  const step = pegStretch(hours);
  const until = await clock.now();
  const from = new Date(until.getTime() - hours * HOUR);
  const stretches = pegPath(await circuits.observations(coin, from), step);
  return { coin, from, until, step_seconds: step / SECOND, stretches };
}
