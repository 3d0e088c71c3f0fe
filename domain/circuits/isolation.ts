import type { Window } from '../decisions/call.ts';
import { type Millis, rfc3339 } from '../time.ts';
import type { CircuitState } from './circuit.ts';
import type { Coin } from './coin.ts';

/** A time in which a coin was not normal, between two snapshots. */
export interface Isolation {
  readonly snapshot_id: string;
  readonly state: Exclude<CircuitState, 'normal'>;
  readonly from: Millis;
  /** null: it has not ended yet. */
  readonly until: Millis | null;
}

/** What the circuit of its quote currency did within the window of a record; nothing of it moves the bucket. */
export interface PegFacts {
  readonly coin: Coin;
  readonly overlaps: readonly PegOverlap[];
}

export interface PegOverlap {
  readonly state: Isolation['state'];
  /** When that began, before the window or within it. */
  readonly from: string;
  /** When that ended; null when it outlasted the window. */
  readonly until: string | null;
  readonly snapshot_id: string;
}

/**
 * The isolations that the window, ends included, had a part of; null without any. They tell nothing of what came after
 * the window, so that they are the same whenever it is evaluated.
 */
export function pegFacts(coin: Coin, isolations: readonly Isolation[], window: Window<Millis>): PegFacts | null {
  const overlaps = isolationsWithin(isolations, window).map(({ state, from, until, snapshot_id }) => ({
    state,
    from: rfc3339(from),
    until: until === null || until > window.end_time ? null : rfc3339(until),
    snapshot_id,
  }));
  return overlaps.length === 0 ? null : { coin, overlaps };
}

/** Half-open, as intervals are: one that ended with the anchor, or in no time, has no part of the window. */
export function isolationsWithin(
  isolations: readonly Isolation[],
  { anchor_time, end_time }: Window<Millis>,
): Isolation[] {
  return isolations.filter(
    ({ from, until }) => from <= end_time && (until === null || (until > anchor_time && until > from)),
  );
}
