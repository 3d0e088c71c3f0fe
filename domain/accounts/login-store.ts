/** An attempt to prove a password, counted before the password is looked at. */
export interface LoginAttempt {
  /** SHA-256 of the folded email, whether anybody has it or not. */
  readonly account_hash: Uint8Array;
  /** The fixed window that it was counted in. */
  readonly window_start: Date;
}

/** Whether one more attempt may be made at `at`, by the database's clock. */
export interface CountedAttempt extends LoginAttempt {
  readonly admitted: boolean;
  readonly at: Date;
}

/** What proving a password needs beside the account itself. */
export interface LoginStore {
  /**
   * Counts an attempt in the window of this moment, unless `atMost` are counted there: callers at once never pass it
   * together, on any number of processes. A clock that jumps back opens no window again.
   */
  count(account_hash: Uint8Array, atMost: number): Promise<CountedAttempt>;

  /** Takes one attempt back, for it did not fail; in another window than its own it changes nothing. */
  takeBack(attempt: LoginAttempt): Promise<void>;

  /** Forgets all attempts on the account. */
  forget(account_hash: Uint8Array): Promise<void>;

  /** Removes attempts of windows that are over; how many accounts they were on. */
  prune(): Promise<number>;

  /**
   * Whether that is the owner's password hash; if so it stays so, and the owner stays, until the transaction ends: a
   * change waits for it, and whoever comes after a change is told no.
   */
  confirm(owner_id: string, password_hash: string): Promise<boolean>;

  /** Replaces that password hash by another; false when it is no longer the owner's. Of callers at once one succeeds. */
  change(owner_id: string, from: string, to: string): Promise<boolean>;
}
