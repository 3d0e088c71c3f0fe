import type { Window } from '../decisions/call.ts';
import { type Millis, rfc3339 } from '../time.ts';
import type { CircuitState } from './circuit.ts';
import type { Coin } from './coin.ts';

/** A time, between two snapshots, in which a coin was not normal. */
export interface Isolation {
  readonly snapshot_id: string;
  readonly state: Exclude<CircuitState, 'normal'>;
  readonly from: Millis;
  /** null: it has not ended yet. */
  readonly until: Millis | null;
}

/** The circuit of its quote currency within the window of a record; it does not change the bucket. */
export interface PegFacts {
  readonly coin: Coin;
  readonly overlaps: readonly PegOverlap[];
}

export interface PegOverlap {
  readonly state: Isolation['state'];
  /** When it began, before the window or within it. */
  readonly from: string;
  /** When it ended; null when it outlasted the window. */
  readonly until: string | null;
  readonly snapshot_id: string;
}

/**
 * The isolations that overlap the window, ends included; null when there are none. They do not depend on anything after
 * the window, so they are the same whenever the record is evaluated.
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

/** Half-open intervals: an isolation that ended at the anchor, or that has no length, does not overlap. */
export function isolationsWithin(
  isolations: readonly Isolation[],
  { anchor_time, end_time }: Window<Millis>,
): Isolation[] {
  return isolations.filter(
    ({ from, until }) => from <= end_time && (until === null || (until > anchor_time && until > from)),
  );
}
