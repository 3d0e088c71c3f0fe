import { IsNull, LessThan } from 'typeorm';
import type { FactorReset, FactorStore } from '../../../domain/accounts/factors/factor.ts';
import type { PasskeyStore } from '../../../domain/accounts/factors/passkey.ts';
import { PASSKEY } from '../../../domain/limits.ts';
import { insertion } from '../entities/columns.ts';
import { FACTOR_RESETS, PASSKEY_CHALLENGES, PASSKEYS, RECOVERY_CODES, TOTP_SECRETS } from '../entities/factors.ts';
import { deleteExpired, interval, lessThanAgo, olderThan } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { lockOwner } from './provider-stores.ts';

const NEW_PASSKEY = insertion(PASSKEYS, 1);

/** SQL by hand: the credential of another passkey is no fault, and adds nothing. */
const ADD = `
  insert into app.passkeys (${NEW_PASSKEY.names.join(', ')}) values (${NEW_PASSKEY.params})
  on conflict (credential_id) do nothing returning passkey_id`;

/** SQL by hand: one statement compares and decides a race, by the clock of the database. */
const USE = `
  update app.passkeys set counter = $2, synced = $3, last_used_at = app.now()
  where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning passkey_id`;

export function postgresFactors(sql: Sql): FactorStore {
  return {
    lock: (owner_id) => lockOwner(sql, owner_id),

    async of(owner_id) {
      const totp = await sql.tables.findOneBy(TOTP_SECRETS, { owner_id });
      return { totp, passkeys: await postgresPasskeys(sql).list(owner_id) };
    },

    async beginTotp(owner_id, pending) {
      await sql.rows(BEGIN, [owner_id, pending]);
    },

    async confirmTotp(owner_id, pending, step, within) {
      return (await sql.rows(CONFIRM, [owner_id, pending, step, interval(within)])).length > 0;
    },

    async useTotp(owner_id, secret, step) {
      const unused = { owner_id, secret, last_step: LessThan(step) };
      return affected(await sql.tables.update(TOTP_SECRETS, unused, { last_step: step })) > 0;
    },

    removeTotp: (owner_id) =>
      sql.atomically(async (own) => {
        await own.tables.delete(TOTP_SECRETS, { owner_id, secret: IsNull() });
        return affected(await own.tables.delete(TOTP_SECRETS, { owner_id })) > 0;
      }),

    setRecoveryCodes: (owner_id, hashes) =>
      sql.atomically(async (own) => {
        await own.tables.delete(RECOVERY_CODES, { owner_id });
        await own.rows(ADD_CODES, [owner_id, hashes]);
      }),

    async recoveryCodes(owner_id) {
      return (await sql.rows<{ left: number }>(COUNT_CODES, [owner_id]))[0]?.left ?? 0;
    },

    async useRecoveryCode(owner_id, code_hash) {
      return affected(await sql.tables.delete(RECOVERY_CODES, { owner_id, code_hash })) > 0;
    },

    async requestReset({ owner_id, evidence, actor }, wait) {
      const [requested] = await sql.rows<FactorReset>(REQUEST, [owner_id, evidence, actor, interval(wait)]);
      return requested ?? null;
    },

    requestedReset: (owner_id) => sql.tables.findOneBy(FACTOR_RESETS, { owner_id }),

    async cancelReset(owner_id) {
      return affected(await sql.tables.delete(FACTOR_RESETS, { owner_id })) > 0;
    },

    dueResets: (limit) => sql.rows<FactorReset>(DUE, [limit]),

    async takeDueReset(owner_id) {
      return (await sql.rows<FactorReset>(TAKE_DUE, [owner_id]))[0] ?? null;
    },

    reset: (owner_id) =>
      sql.atomically(async (own) => {
        const apps = affected(await own.tables.delete(TOTP_SECRETS, { owner_id }));
        const codes = affected(await own.tables.delete(RECOVERY_CODES, { owner_id }));
        const passkeys = affected(await own.tables.delete(PASSKEYS, { owner_id }));
        return apps + codes + passkeys > 0;
      }),
  };
}

/** SQL by hand: an insert or update, by the clock of the database. */
const BEGIN = `
  insert into app.totp_secrets (owner_id, pending, pending_at) values ($1, $2, app.now())
  on conflict (owner_id) do update set pending = excluded.pending, pending_at = excluded.pending_at`;

/** SQL by hand: it moves a column to another, and compares with the clock of the database. */
const CONFIRM = `
  update app.totp_secrets set secret = pending, confirmed_at = app.now(), last_step = $3, pending = null, pending_at = null
  where owner_id = $1 and pending = $2 and pending_at > app.now() - $4::interval
  returning owner_id`;

/** SQL by hand: several rows of an array, and a count. */
const ADD_CODES = `
  insert into app.recovery_codes (owner_id, code_hash) select $1, code_hash from unnest($2::bytea[]) codes(code_hash)`;

const COUNT_CODES = 'select count(*)::int as "left" from app.recovery_codes where owner_id = $1';

/** SQL by hand: by the clock of the database, and of a race one is added. */
const REQUEST = `
  insert into app.factor_resets (owner_id, evidence, actor, due_at) values ($1, $2, $3, app.now() + $4::interval)
  on conflict (owner_id) do nothing returning *`;

const DUE = `
  select r.* from app.factor_resets r join app.owners o using (owner_id)
  where r.due_at <= app.now() and o.suspended_at is null order by r.due_at, r.owner_id limit $1`;

const TAKE_DUE = 'delete from app.factor_resets where owner_id = $1 and due_at <= app.now() returning *';

export function postgresPasskeys(sql: Sql): PasskeyStore {
  return {
    async add(passkey) {
      return (await sql.rows(ADD, NEW_PASSKEY.values(passkey))).length > 0;
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
