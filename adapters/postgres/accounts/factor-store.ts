import { IsNull, LessThan } from 'typeorm';
import type { FactorStore } from '../../../domain/accounts/factors/factor-store.ts';
import { PASSKEYS } from '../entities/passkeys.ts';
import { RECOVERY_CODES } from '../entities/recovery-codes.ts';
import { TOTP_SECRETS } from '../entities/totp-secrets.ts';
import { interval } from '../kit/interval.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { lockOwner } from './owner-store.ts';
import { postgresPasskeys } from './passkey-store.ts';

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
