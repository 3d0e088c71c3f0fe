import type { Transition } from './device-polling.ts';
import type { DeviceSignIn } from './device-sign-in.ts';

export interface DeviceSignInStore {
  /** Adds the sign-in of a new code. */
  add(signIn: DeviceSignIn): Promise<void>;

  /**
   * Applies a rule to the sign-in of this code and stores the result; null when there is none. Rules on one sign-in run
   * one after the other, and `now` is the database's time once the rule's turn has come. Within a transaction the
   * sign-in is locked until that ends.
   */
  transition<Answer>(
    code_hash: Uint8Array,
    rule: (signIn: DeviceSignIn, now: Date) => Transition<Answer>,
  ): Promise<Answer | null>;

  /** Removes sign-ins that are forgotten (`isForgotten`) by the database's clock; returns how many. */
  prune(): Promise<number>;
}
