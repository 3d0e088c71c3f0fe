import type { LinkPurpose, LinkStore, StoredLink } from '../../../domain/accounts/sign-in/one-time-link.ts';
import { hex } from '../kit/hex.ts';
import type { Table } from '../kit/table.ts';
import type { OwnerTables } from './provider-stores.ts';

export interface LinkTables extends OwnerTables {
  /** By owner and purpose. */
  readonly links: Table<string, StoredLink>;
}

export function memoryLinks({ links, owners }: LinkTables, now: () => Date): LinkStore {
  const isOpen = (owner_id: string) => owners.get(owner_id)?.suspended_at === null;
  const valid = (token_hash: Uint8Array, purpose: LinkPurpose) =>
    links.where(
      (link) =>
        hex(link.token_hash) === hex(token_hash) &&
        link.purpose === purpose &&
        link.expires_at > now() &&
        isOpen(link.owner_id),
    )[0] ?? null;
  return {
    async put(link, life) {
      if (!isOpen(link.owner_id)) return null;
      const created_at = now();
      const expires_at = new Date(created_at.getTime() + life);
      links.set(keyOf(link), { ...link, created_at, expires_at });
      return expires_at;
    },

    find: async (token_hash, purpose) => valid(token_hash, purpose),

    async redeem(token_hash, purpose) {
      const link = valid(token_hash, purpose);
      if (link) links.delete(keyOf(link));
      return link;
    },

    async prune() {
      return links.deleteWhere(({ expires_at }) => expires_at <= now());
    },
  };
}

function keyOf({ owner_id, purpose }: Pick<StoredLink, 'owner_id' | 'purpose'>): string {
  return `${owner_id} ${purpose}`;
}
