import type { PasskeyStore } from '../../../domain/accounts/factors/passkey-store.ts';
import { PASSKEY } from '../../../domain/limits.ts';
import { PASSKEY_CHALLENGES } from '../entities/passkey-challenges.ts';
import { PASSKEYS } from '../entities/passkeys.ts';
import { lessThanAgo } from '../kit/age.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';

export function postgresPasskeys(sql: Sql): PasskeyStore {
  return {
    async add({ passkey_id, owner_id, credential_id, public_key, counter, name, synced, created_at }) {
      const values = [passkey_id, owner_id, credential_id, public_key, counter, name, synced, created_at];
      return (await sql.rows(ADD, values)).length > 0;
    },

    list: (owner_id) =>
      sql.tables.find(PASSKEYS, { where: { owner_id }, order: { created_at: 'asc', passkey_id: 'asc' } }),

    findCredential: (credential_id) => sql.tables.findOneBy(PASSKEYS, { credential_id }),

    async use(passkey_id, counter, synced) {
      return (await sql.rows(USE, [passkey_id, counter, synced])).length > 0;
    },

    async rename(owner_id, passkey_id, name) {
      const renamed = affected(await sql.tables.update(PASSKEYS, { owner_id, passkey_id }, { name })) > 0;
      return renamed ? sql.tables.findOneBy(PASSKEYS, { passkey_id }) : null;
    },

    async remove(owner_id, passkey_id) {
      return affected(await sql.tables.delete(PASSKEYS, { owner_id, passkey_id })) > 0;
    },

    async addChallenge(challenge) {
      await sql.tables.insert(PASSKEY_CHALLENGES, challenge);
    },

    async takeChallenge(challenge_hash, bound_to, purpose) {
      const own = { challenge_hash, bound_to, purpose, created_at: lessThanAgo(PASSKEY.challengeLife) };
      return affected(await sql.tables.delete(PASSKEY_CHALLENGES, own)) > 0;
    },

    pruneChallenges: () => deleteExpired(sql, olderThan('passkey_challenges', 'created_at', PASSKEY.challengeLife)),
  };
}

/** SQL by hand: the credential of another passkey is no fault, and adds nothing. */
const ADD = `
  insert into app.passkeys (passkey_id, owner_id, credential_id, public_key, counter, name, synced, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning passkey_id`;

/** SQL by hand: one statement compares and decides a race, by the clock of the database. */
const USE = `
  update app.passkeys set counter = $2, synced = $3, last_used_at = app.now()
  where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning passkey_id`;
