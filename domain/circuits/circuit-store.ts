import type { Millis } from '../time.ts';
import type { Circuit, CircuitSnapshot, CircuitStep } from './circuit.ts';
import type { Coin } from './coin.ts';
import type { Isolation } from './isolation.ts';
import type { Peg } from './peg.ts';

/** The circuits of all coins; a coin's newest snapshot alone decides its state, for submissions too. */
export interface CircuitStore {
  /** The circuits of all coins, in the order of `COINS`. */
  all(): Promise<readonly Circuit[]>;

  /**
   * Applies a rule to a coin's circuit and stores the result: snapshot, observation, runs. Rules on one coin run one
   * after the other, and `now` is the database's time once the rule's turn has come. Within a transaction the circuit
   * is locked until that ends.
   */
  transition(coin: Coin, rule: (circuit: Circuit, now: Date) => CircuitStep): Promise<CircuitStep>;

  /**
   * Snapshots of a coin, newest first.
   * @param before only those older than the snapshot of this id; null for the newest
   */
  history(coin: Coin, before: string | null, limit: number): Promise<readonly CircuitSnapshot[]>;

  /** The times within [from, to] in which the coin was tripped or warming, in order. */
  isolations(coin: Coin, from: Millis, to: Millis): Promise<readonly Isolation[]>;

  /** Observations made at `from` or later, in order. */
  observations(coin: Coin, from: Date): Promise<readonly Peg[]>;

  /** Removes observations older than the kept 8 days, by the database's clock; returns how many. */
  prune(): Promise<number>;
}
