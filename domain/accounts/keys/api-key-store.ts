import type { PermissionMode } from '../../caller.ts';
import type { ApiKey, KeyInfo, KeyUse, Successor } from './api-key.ts';
import type { KeyBounds } from './key-bounds.ts';

/** The keys of owners. `AdmissionDesk` resolves a key to its caller (quotas/admission.ts). */
export interface ApiKeyStore {
  /**
   * Adds the key; false when the owner already has `atMost` unrevoked keys. Concurrent calls never exceed it together.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED, NOT_FOUND for an agent that the owner does not
   * have, AGENT_ARCHIVED
   */
  add(key: ApiKey, atMost: number): Promise<boolean>;

  /** Revokes for every request that begins after this is acknowledged, on any node; false when the owner has no such unrevoked key. */
  revoke(owner_id: string, key_prefix: string): Promise<boolean>;

  /** Revokes all unrevoked keys of the owner, as `revoke` does; returns their names. */
  revokeAll(owner_id: string): Promise<readonly string[]>;

  /** The owner's unrevoked keys, the oldest first. */
  list(owner_id: string): Promise<readonly KeyInfo[]>;

  /** The key, when the owner has it and it is unrevoked. */
  find(owner_id: string, key_prefix: string): Promise<KeyInfo | null>;

  /** Changes what the key may do, for every request that begins after this; null where `find` finds none. */
  setMode(owner_id: string, key_prefix: string, mode: PermissionMode): Promise<KeyInfo | null>;

  /** Changes from where the key works, for every request that begins after this; null where `find` finds none. */
  setNetworks(owner_id: string, key_prefix: string, networks: KeyBounds['allowed_networks']): Promise<KeyInfo | null>;

  /**
   * Revokes the key and adds its successor with the same agent, mode, label and networks: both or neither. The number of keys
   * stays the same, so the owner's limit does not apply. Returns the successor; null where `find` finds none. Of
   * concurrent calls one rotates the key.
   * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
   */
  rotate(owner_id: string, key_prefix: string, successor: Successor): Promise<KeyInfo | null>;

  /** Whether a key of that name exists, revoked ones included. */
  isTaken(key_prefix: string): Promise<boolean>;

  /** Notes that the keys are used now, each once at most, if `isUseToBeNoted`; ignores names of no key. */
  noteUse(uses: readonly KeyUse[]): Promise<void>;
}
