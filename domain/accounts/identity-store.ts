import type { Identity } from './identity.ts';
import type { Owner } from './owner.ts';

export interface IdentityStore {
  /** The owner of the identity, as the owner is at this moment; null for one that was never seen. */
  find(identity: Identity): Promise<Owner | null>;

  /**
   * Adds the owner as that of the identity, both or neither; false when the identity has an owner already, also by a
   * transaction that commits first. Of callers at once one makes the owner.
   */
  addOwner(identity: Identity, owner: Owner): Promise<boolean>;
}
