import type { KeyCaller } from '../caller.ts';
import type { ApiKey } from './api-key.ts';

export interface ApiKeyStore {
  /** Adds the key; false when the owner has `atMost` unrevoked keys already. Callers at once never pass it together. */
  add(key: ApiKey, atMost: number): Promise<boolean>;

  /**
   * Whom the key with this hash speaks for; null when there is none or it is revoked.
   * Never remembered: a revocation that has been acknowledged anywhere is seen by every call that starts after it.
   */
  authenticate(key_hash: Uint8Array): Promise<KeyCaller | null>;

  /** Revokes at once; false when the owner has no such unrevoked key. */
  revoke(owner_id: string, key_prefix: string): Promise<boolean>;
}
