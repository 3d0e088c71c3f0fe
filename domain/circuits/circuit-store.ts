import type { Millis } from '../time.ts';
import type { Circuit, CircuitSnapshot, CircuitStep } from './circuit.ts';
import type { Coin } from './coin.ts';
import type { Isolation } from './isolation.ts';
import type { Peg } from './peg.ts';

/** The circuits of all coins; a coin's newest snapshot is the one truth of its state, for submissions too. */
export interface CircuitStore {
  /** The circuits of all coins, in the order of `COINS`. */
  all(): Promise<readonly Circuit[]>;

  /**
   * Applies a rule to a coin's circuit and keeps what the rule made of it: snapshot, observation, runs. Rules on one coin
   * happen one after the other, whoever calls, and `now` is the database's time once it is this one's turn. Within a
   * transaction the circuit is nobody else's until that ends.
   */
  transition(coin: Coin, rule: (circuit: Circuit, now: Date) => CircuitStep): Promise<CircuitStep>;

  /**
   * Snapshots of a coin, newest first.
   * @param before only those older than the snapshot of this id; null for the newest
   */
  history(coin: Coin, before: string | null, limit: number): Promise<readonly CircuitSnapshot[]>;

  /** The times within [from, to] in which the coin was tripped or warming, in their order. */
  isolations(coin: Coin, from: Millis, to: Millis): Promise<readonly Isolation[]>;

  /** Observations made at `from` or later, in their order. */
  observations(coin: Coin, from: Date): Promise<readonly Peg[]>;

  /** Removes observations that are no longer kept (8 days), by the database's clock; how many. */
  prune(): Promise<number>;
}
