import type { PermissionMode } from '../caller.ts';
import type { ApiKey, KeyInfo, Successor } from './api-key.ts';

/** The keys of owners. Whom one speaks for, the admission tells (quotas/admission.ts). */
export interface ApiKeyStore {
  /**
   * Adds the key; false when the owner has `atMost` unrevoked keys already. Callers at once never pass it together.
   * @throws Problem UNAUTHORIZED for an owner who is gone
   */
  add(key: ApiKey, atMost: number): Promise<boolean>;

  /** Revokes for every request that begins after this is acknowledged, on any node; false when the owner has no such unrevoked key. */
  revoke(owner_id: string, key_prefix: string): Promise<boolean>;

  /** The owner's unrevoked keys, the oldest first. */
  list(owner_id: string): Promise<readonly KeyInfo[]>;

  /** That key, when it is the owner's and unrevoked. */
  find(owner_id: string, key_prefix: string): Promise<KeyInfo | null>;

  /** Changes what the key may do, for every request that begins after this; null where `find` finds none. */
  setMode(owner_id: string, key_prefix: string, mode: PermissionMode): Promise<KeyInfo | null>;

  /**
   * Revokes the key and adds its successor with the same agent, mode and label, both or neither, whatever the owner's
   * limit: the number of keys stays. Null where `find` finds none; of callers at once one rotates it. Tells the successor.
   */
  rotate(owner_id: string, key_prefix: string, successor: Successor): Promise<KeyInfo | null>;

  /** Whether there ever was a key of that name, revoked ones included. */
  isTaken(key_prefix: string): Promise<boolean>;

  /** Notes that the keys are used now, each at most once a minute; names of no keys are left out. */
  noteUse(key_prefixes: readonly string[]): Promise<void>;
}
