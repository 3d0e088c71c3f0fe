import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { type ApiKey, type ApiKeyStore, isUseToBeNoted, type KeyInfo } from '../../../domain/accounts/keys/api-key.ts';
import { activeOwner, ownerForKeys } from '../../../domain/accounts/owner.ts';
import { hex, type Table } from '../kit/table.ts';
import type { OwnerTables } from './provider-stores.ts';

export interface KeyRow extends ApiKey, KeyInfo {
  /** Revoked by the suspension of the owner. */
  readonly suspended: boolean;
  /** Its event `key.expiring` is written. */
  readonly expiry_noted: boolean;
}

export interface KeyTables extends OwnerTables {
  /** By the hash, in hex. */
  readonly keys: Table<string, KeyRow>;
}

export function memoryApiKeys({ keys, owners, agents }: KeyTables, now: () => Date): ApiKeyStore {
  const validOf = (owner: string) =>
    keys.where(({ owner_id, revoked_at }) => owner_id === owner && revoked_at === null);
  const validKey = (owner: string, prefix: string) =>
    validOf(owner).find(({ key_prefix }) => key_prefix === prefix) ?? null;
  const keep = (key: KeyRow) => {
    keys.set(hex(key.key_hash), key);
    return infoOf(key);
  };
  return {
    async add(key, atMost) {
      ownerForKeys(owners.get(key.owner_id));
      if (key.agent_id !== null) usableAgent(agents.get(key.agent_id), key.agent_id);
      if (validOf(key.owner_id).length >= atMost) return false;
      if (keys.where(({ key_prefix }) => key_prefix === key.key_prefix).length > 0) {
        throw new Error('There is a key of that prefix already.');
      }
      keys.set(hex(key.key_hash), { ...key, ...NEW });
      return true;
    },

    async revoke(owner_id, key_prefix) {
      const key = validKey(owner_id, key_prefix);
      if (key) keep({ ...key, revoked_at: now() });
      return key !== null;
    },

    async revokeAll(owner_id) {
      const revoked = validOf(owner_id);
      for (const key of revoked) keep({ ...key, revoked_at: now() });
      return revoked.map(({ key_prefix }) => key_prefix);
    },

    list: async (owner_id) => validOf(owner_id).toSorted(byAge).map(infoOf),

    async find(owner_id, key_prefix) {
      const key = validKey(owner_id, key_prefix);
      return key && infoOf(key);
    },

    async change(owner_id, key_prefix, changes) {
      const key = validKey(owner_id, key_prefix);
      return key && keep({ ...key, ...changes });
    },

    async rotate(owner_id, key_prefix, successor) {
      activeOwner(owners.get(owner_id));
      const key = validKey(owner_id, key_prefix);
      if (!key) return null;
      keep({ ...key, revoked_at: now() });
      return keep({ ...key, ...successor, ...NEW });
    },

    isTaken: async (prefix) => keys.where(({ key_prefix }) => key_prefix === prefix).length > 0,

    async noteUse(uses) {
      const at = now();
      for (const { key_prefix, network } of uses) {
        const used = keys.where((key) => key.key_prefix === key_prefix && isUseToBeNoted(key, network, at));
        for (const key of used) keep({ ...key, last_used_at: at, last_used_network: network });
      }
    },
  };
}

const NEW = {
  ...{ last_used_at: null, last_used_network: null, revoked_at: null },
  ...{ suspended: false, expiry_noted: false },
} as const;

function infoOf({ key_hash: _, owner_id: __, suspended: ___, expiry_noted: ____, ...info }: KeyRow): KeyInfo {
  return info;
}

/** The names of keys, sorted. */
export function prefixesOf(keys: readonly KeyRow[]): readonly string[] {
  return keys.map(({ key_prefix }) => key_prefix).toSorted();
}

function byAge(a: KeyRow, b: KeyRow): number {
  return Number(a.created_at) - Number(b.created_at) || (a.key_prefix < b.key_prefix ? -1 : 1);
}
