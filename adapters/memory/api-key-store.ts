import type { ApiKey } from '../../domain/accounts/api-key.ts';
import type { ApiKeyStore } from '../../domain/accounts/api-key-store.ts';
import type { OwnerTables } from './owner-store.ts';
import type { Table } from './table.ts';

export interface KeyRow extends ApiKey {
  readonly revoked_at: Date | null;
}

export interface KeyTables extends OwnerTables {
  /** By the hash, in hex. */
  readonly keys: Table<string, KeyRow>;
}

export function memoryApiKeys({ keys, owners }: KeyTables, now: () => Date): ApiKeyStore {
  const validOf = (owner: string) =>
    keys.where(({ owner_id, revoked_at }) => owner_id === owner && revoked_at === null);
  return {
    async add(key, atMost) {
      if (validOf(key.owner_id).length >= atMost) return false;
      if (!owners.get(key.owner_id)) throw new Error('A key needs an owner.');
      if (keys.where(({ key_prefix }) => key_prefix === key.key_prefix).length > 0) {
        throw new Error('There is a key of that prefix already.');
      }
      keys.set(hex(key.key_hash), { ...key, revoked_at: null });
      return true;
    },

    async authenticate(key_hash) {
      const key = keys.get(hex(key_hash));
      const owner = key && owners.get(key.owner_id);
      if (!owner || key.revoked_at !== null) return null;
      const { owner_id, agent_id, key_prefix, permission_mode } = key;
      return { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode, tier: owner.tier };
    },

    async revoke(owner_id, key_prefix) {
      const key = validOf(owner_id).find((valid) => valid.key_prefix === key_prefix);
      if (!key) return false;
      keys.set(hex(key.key_hash), { ...key, revoked_at: now() });
      return true;
    },
  };
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
