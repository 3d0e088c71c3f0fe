import type { Transition } from './device-polling.ts';
import type { DeviceSignIn } from './device-sign-in.ts';

export interface DeviceSignInStore {
  /** Adds the sign-in of a code that nobody has. */
  add(signIn: DeviceSignIn): Promise<void>;

  /**
   * Applies a rule to the sign-in of this code and keeps what the rule made of it; null when there is none. Rules on one
   * sign-in happen one after the other, whoever calls, and `now` is the database's time once it is this one's turn.
   * Within a transaction the sign-in is nobody else's until that ends.
   */
  transition<Answer>(
    code_hash: Uint8Array,
    rule: (signIn: DeviceSignIn, now: Date) => Transition<Answer>,
  ): Promise<Answer | null>;

  /** Removes sign-ins that are forgotten (`isForgotten`) by the database's clock; how many. */
  prune(): Promise<number>;
}
