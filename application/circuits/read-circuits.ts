import type { CircuitSnapshot } from '../../domain/circuits/circuit.ts';
import {
  type CircuitView,
  circuitView,
  type PublicCircuit,
  publicCircuit,
} from '../../domain/circuits/circuit-view.ts';
import type { Coin } from '../../domain/circuits/coin.ts';
import { pegPath, pegStretch } from '../../domain/circuits/peg-path.ts';
import { HOUR, SECOND } from '../../domain/time.ts';
import { type CursorPage, type CursorQuery, cutPage, sealCursor, sealedPlace } from '../page-cursor.ts';
import type { Ports } from '../ports.ts';

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
