import type { Millis } from '../../time.ts';

/** What a one-time link may do. */
const LINK_PURPOSES = ['reset', 'confirm'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** A link that its owner may use once, without any other proof. The link has a token of 256 bits; only its hash is stored. */
export interface OneTimeLink {
  readonly token_hash: Uint8Array;
  readonly owner_id: string;
  readonly purpose: LinkPurpose;
  /** A hash of what the link is for, such as the password that it replaces: when that is another one, the link is void. */
  readonly bound_to: Uint8Array;
  /** Whether it was sent to the address of the owner alone, so that its use confirms the address. */
  readonly mailed: boolean;
}

export interface StoredLink extends OneTimeLink {
  readonly created_at: Date;
  readonly expires_at: Date;
}

export interface LinkStore {
  /**
   * Adds a link in place of the owner's earlier one of that purpose, which is void from then on.
   * @returns when it expires; null for an owner who is gone or suspended
   */
  put(link: OneTimeLink, life: Millis): Promise<Date | null>;

  /** The link of the token; null when it was used, replaced, has expired, or its owner is suspended. */
  find(token_hash: Uint8Array, purpose: LinkPurpose): Promise<StoredLink | null>;

  /** Takes the link that `find` returns: of concurrent calls one gets it, on any number of processes. */
  redeem(token_hash: Uint8Array, purpose: LinkPurpose): Promise<StoredLink | null>;

  /** Removes links that have expired; returns how many. */
  prune(): Promise<number>;
}
