import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Identity } from '../../../domain/accounts/provider/identity.ts';
import type { IdentityStore } from '../../../domain/accounts/provider/identity-store.ts';
import type { Table } from '../kit/table.ts';
import type { OwnerTables } from './owner-store.ts';

export interface IdentityTables extends OwnerTables {
  /** By both parts. */
  readonly identities: Table<string, Identity & { readonly owner_id: string }>;
}

export function memoryIdentities(tables: IdentityTables): IdentityStore {
  const { identities, owners } = tables;
  return {
    find: async (identity) => ownerOf(tables, identity),

    async addOwner(identity, owner) {
      if (owner.email !== null) throw new Error('An owner of the identity provider has no email of ours.');
      if (identities.get(keyOf(identity))) return false;
      if (owners.get(owner.owner_id)) throw new Error('There is an owner of that id already.');
      const { issuer, subject } = identity;
      identities.set(keyOf(identity), { issuer, subject, owner_id: owner.owner_id });
      owners.set(owner.owner_id, { ...owner });
      return true;
    },
  };
}

export function ownerOf({ identities, owners }: IdentityTables, identity: Identity): Owner | null {
  const known = identities.get(keyOf(identity));
  return (known && owners.get(known.owner_id)) ?? null;
}

function keyOf({ issuer, subject }: Identity): string {
  return JSON.stringify([issuer, subject]);
}
