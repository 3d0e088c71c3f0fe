import type { Owner } from '../owner.ts';
import type { Identity } from './identity.ts';

export interface IdentityStore {
  /** The owner of the identity as stored now; null for an identity without an owner. */
  find(identity: Identity): Promise<Owner | null>;

  /**
   * Adds the owner and links the identity to it, both or neither; false when the identity already has an owner, also by
   * a transaction that commits first. Of concurrent calls one adds its owner.
   */
  addOwner(identity: Identity, owner: Owner): Promise<boolean>;
}
