import type { Owner } from '../../../domain/accounts/owner.ts';
import type { IdentityStore } from '../../../domain/accounts/provider/identity-store.ts';
import { IDENTITIES } from '../entities/identities.ts';
import { OWNERS } from '../entities/owners.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresIdentities(sql: Sql): IdentityStore {
  return {
    find: ({ issuer, subject }): Promise<Owner | null> =>
      sql.tables
        .createQueryBuilder(OWNERS, 'o')
        .innerJoin(IDENTITIES.options.name, 'i', 'i.owner_id = o.owner_id')
        .where('i.issuer = :issuer and i.subject = :subject', { issuer, subject })
        .getOne(),

    async addOwner({ issuer, subject }, owner) {
      const { owner_id, password_hash, role, tier, created_at } = owner;
      if (owner.email !== null) throw new Error('An owner of the identity provider has no email of ours.');
      const values = [issuer, subject, owner_id, password_hash, role, tier, created_at];
      return (await sql.rows(ADD_OWNER, values)).length > 0;
    },
  };
}

/**
 * SQL by hand: one statement decides a race. The identity comes first: the second of two callers waits for it and then
 * adds no owner. Its reference is checked at the end of the statement.
 */
const ADD_OWNER = `
  with identity as (
    insert into app.identities (issuer, subject, owner_id, created_at) values ($1, $2, $3, $7)
    on conflict (issuer, subject) do nothing
    returning owner_id
  )
  insert into app.owners (owner_id, password_hash, role, tier, created_at)
  select owner_id, $4, $5, $6, $7 from identity
  returning owner_id`;
