import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import { DEVICE_FLOW } from '../../../domain/limits.ts';
import { DEVICE_SIGN_INS } from '../entities/device-sign-ins.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';

export function postgresDeviceSignIns(sql: Sql): DeviceSignInStore {
  return {
    async add(signIn) {
      await sql.tables.insert(DEVICE_SIGN_INS, signIn);
    },

    transition: (code_hash, rule) =>
      sql.atomically(async (own) => {
        const [before] = await own.rows<DeviceSignIn>(LOCK, [code_hash]);
        // Of one statement with the lock the time would be that before the wait for it.
        const [clock] = await own.rows<{ at: Date }>('select app.now() as at');
        if (!before || !clock) return null;
        const { signIn, answer } = rule(before, clock.at);
        const locked = { code_hash, status: before.status };
        const written = affected(await own.tables.update(DEVICE_SIGN_INS, locked, progressOf(signIn)));
        if (written !== 1) throw new Error('A sign-in has changed under its lock.');
        return answer;
      }),

    prune: () => deleteExpired(sql, olderThan('device_sign_ins', 'expires_at', DEVICE_FLOW.keep)),
  };
}

/** The columns that a rule can change. */
function progressOf({ status, owner_id, poll_every, next_poll_at, lease_token, lease_until }: DeviceSignIn) {
  return { status, owner_id, poll_every, next_poll_at, lease_token, lease_until };
}

/** SQL by hand: a lock. */
const LOCK = `
  select code_hash, sealed_code, status, owner_id, poll_every, next_poll_at, lease_token, lease_until, created_at,
    expires_at
  from app.device_sign_ins where code_hash = $1 for update`;
