import type { QueryDeepPartialEntity } from 'typeorm';
import type { LegalAcceptance, Preferences, ProfileStore } from '../../../domain/accounts/profile.ts';
import { LEGAL_ACCEPTANCES, type LegalAcceptanceRow, OWNERS, type OwnerRow } from '../entities/owners.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresProfiles(sql: Sql): ProfileStore {
  return {
    async accept(owner_id, { terms_version, privacy_version, source, accepted_at }) {
      return (await sql.rows(ACCEPT, [owner_id, accepted_at, terms_version, privacy_version, source])).length > 0;
    },

    async lastAcceptance(owner_id) {
      const last = await sql.tables.findOne(LEGAL_ACCEPTANCES, { where: { owner_id }, order: { seq: 'desc' } });
      return last && acceptanceOf(last);
    },

    async preferences(owner_id) {
      const row = await sql.tables.findOne(OWNERS, { where: { owner_id }, select: { preferences: true } });
      return row?.preferences ?? null;
    },

    async lockPreferences(owner_id) {
      const [row] = await sql.rows<{ preferences: Preferences }>(LOCK_PREFERENCES, [owner_id]);
      return row?.preferences ?? null;
    },

    async setPreferences(owner_id, preferences) {
      await sql.tables.update(OWNERS, { owner_id }, { preferences } as QueryDeepPartialEntity<OwnerRow>);
    },
  };
}

function acceptanceOf({ seq, owner_id, ...acceptance }: LegalAcceptanceRow): LegalAcceptance {
  return acceptance;
}

/** SQL by hand: it locks the owner, so that an owner who is removed meanwhile breaks no foreign key. */
const ACCEPT = `
  insert into app.legal_acceptances (owner_id, accepted_at, terms_version, privacy_version, source)
  select owner_id, $2::timestamptz, $3, $4, $5 from app.owners where owner_id = $1 for key share
  returning seq`;

/** SQL by hand: a lock. */
const LOCK_PREFERENCES = 'select preferences from app.owners where owner_id = $1 for no key update';
