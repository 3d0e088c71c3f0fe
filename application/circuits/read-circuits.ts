import type { CircuitSnapshot } from '../../domain/circuits/circuit.ts';
import {
  type CircuitView,
  circuitView,
  type PublicCircuit,
  publicCircuit,
} from '../../domain/circuits/circuit-view.ts';
import type { Coin } from '../../domain/circuits/coin.ts';
import { PAGE } from '../../domain/limits.ts';
import { filterProblem } from '../decisions/filter-faults.ts';
import { openCursor, sealCursor } from '../page-cursor.ts';
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

export interface SnapshotQuery {
  /** The cursor of a page of the same coin. */
  readonly cursor?: string | undefined;
  /** 1-100, 20 by default. */
  readonly limit?: number | undefined;
}

export interface SnapshotPage {
  readonly items: readonly CircuitSnapshot[];
  readonly next_cursor: string | null;
}

/**
 * A page of a coin's snapshots, the newest first (settled.md sections 9 and 12).
 * @throws Problem VALIDATION_ERROR for a cursor that is not of this coin's history
 */
export async function circuitHistory(
  { circuits, settings }: Pick<Ports, 'circuits' | 'settings'>,
  coin: Coin,
  { cursor, limit = PAGE.defaultLimit }: SnapshotQuery,
): Promise<SnapshotPage> {
  const about = ['circuit history', coin];
  const before = cursor === undefined ? null : placeOf(openCursor(settings.sessionSecret, about, cursor));
  const found = await circuits.history(coin, before, limit + 1);
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next_cursor: last ? sealCursor(settings.sessionSecret, about, last.id) : null };
}

/** The decrypted value of a cursor, which only this service can make. */
function placeOf(sealed: unknown): string {
  if (typeof sealed === 'string') return sealed;
  throw filterProblem({ path: 'cursor', message: 'must be the next_cursor of the same query' });
}
