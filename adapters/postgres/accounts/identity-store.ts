import type { IdentityStore } from '../../../domain/accounts/identity-store.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresIdentities(sql: Sql): IdentityStore {
  return {
    async find({ issuer, subject }) {
      const [owner] = await sql.rows<Owner>(FIND, [issuer, subject], 'find identity');
      return owner ?? null;
    },

    async addOwner({ issuer, subject }, owner) {
      const { owner_id, password_hash, role, tier, created_at } = owner;
      if (owner.email !== null) throw new Error('An owner of the identity provider has no email of ours.');
      const values = [issuer, subject, owner_id, password_hash, role, tier, created_at];
      return (await sql.rows(ADD_OWNER, values)).length > 0;
    },
  };
}

const FIND = `
  select o.owner_id, o.email, o.password_hash, o.role, o.tier, o.created_at
  from app.identities i join app.owners o on o.owner_id = i.owner_id
  where i.issuer = $1 and i.subject = $2`;

/** The identity first: whoever meets a twin's waits for it, and then adds no owner. Its reference is checked at the end. */
const ADD_OWNER = `
  with identity as (
    insert into app.identities (issuer, subject, owner_id, created_at) values ($1, $2, $3, $7)
    on conflict (issuer, subject) do nothing
    returning owner_id
  )
  insert into app.owners (owner_id, password_hash, role, tier, created_at)
  select owner_id, $4, $5, $6, $7 from identity
  returning owner_id`;
