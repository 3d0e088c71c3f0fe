import type { Millis } from '../../time.ts';

/** An attempt that a limit counts before it is made: to prove a password, to change one, to open an account, to export. */
export interface LoginAttempt {
  /** The hash of what is counted. Of an account that of the folded email, whether an account has it or not. */
  readonly account_hash: Uint8Array;
  /** The fixed window that counts it. */
  readonly window_start: Date;
}

/** Whether one more attempt is admitted at `at`, by the database's clock. */
export interface CountedAttempt extends LoginAttempt {
  readonly admitted: boolean;
  readonly at: Date;
}

/** What proving a password needs besides the account itself. */
export interface LoginStore {
  /**
   * Counts an attempt in the current window, unless `atMost` are counted there: concurrent calls never exceed it
   * together, on any number of processes. A clock that jumps back reopens no window.
   * @param window the length of the fixed windows, up to `LOGIN.keep` and always the same for the same hash; default:
   * that of logins
   */
  count(account_hash: Uint8Array, atMost: number, window?: Millis): Promise<CountedAttempt>;

  /** Takes one attempt back because it did not fail; in another window than its own it changes nothing. */
  takeBack(attempt: LoginAttempt): Promise<void>;

  /** Forgets all attempts on the account. */
  forget(account_hash: Uint8Array): Promise<void>;

  /** Removes attempts of windows that began `LOGIN.keep` ago; returns of how many hashes. */
  prune(): Promise<number>;

  /**
   * Whether that is the owner's password hash. If so, both the hash and the owner stay until the transaction ends: a
   * change waits, and a confirmation after the change returns false.
   */
  confirm(owner_id: string, password_hash: string): Promise<boolean>;

  /**
   * Replaces that password hash by another; false when the owner no longer has it. Of concurrent calls one succeeds.
   */
  change(owner_id: string, from: string, to: string): Promise<boolean>;
}

/** When a fixed window that began then is over. */
export function endOfWindow(start: Date, length: Millis): Date {
  return new Date(start.getTime() + length);
}
