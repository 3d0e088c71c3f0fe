import type { LegalAcceptance } from '../../../domain/accounts/legal.ts';
import type { Preferences } from '../../../domain/accounts/preferences.ts';
import type { ProfileStore } from '../../../domain/accounts/profile-store.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresProfiles(sql: Sql): ProfileStore {
  return {
    async accept(owner_id, { terms_version, privacy_version, source, accepted_at }) {
      return (await sql.rows(ACCEPT, [owner_id, accepted_at, terms_version, privacy_version, source])).length > 0;
    },

    async lastAcceptance(owner_id) {
      const [last] = await sql.rows<LegalAcceptance>(LAST, [owner_id]);
      return last ?? null;
    },

    async lockPreferences(owner_id) {
      const [row] = await sql.rows<{ preferences: Preferences }>(LOCK_PREFERENCES, [owner_id]);
      return row?.preferences ?? null;
    },

    async setPreferences(owner_id, preferences) {
      await sql.rows(SET_PREFERENCES, [owner_id, JSON.stringify(preferences)]);
    },
  };
}

/** Of an owner who is removed meanwhile nothing is accepted, and no foreign key is broken. */
const ACCEPT = `
  insert into app.legal_acceptances (owner_id, accepted_at, terms_version, privacy_version, source)
  select owner_id, $2::timestamptz, $3, $4, $5 from app.owners where owner_id = $1 for key share
  returning seq`;

const LAST = `
  select terms_version, privacy_version, source, accepted_at from app.legal_acceptances
  where owner_id = $1 order by seq desc limit 1`;

const LOCK_PREFERENCES = 'select preferences from app.owners where owner_id = $1 for no key update';

const SET_PREFERENCES = 'update app.owners set preferences = $2::jsonb where owner_id = $1';
