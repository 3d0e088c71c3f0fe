import type { DeviceSignIn } from '../../../domain/accounts/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/device-sign-in-store.ts';
import { DEVICE_FLOW } from '../../../domain/limits.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresDeviceSignIns(sql: Sql): DeviceSignInStore {
  return {
    async add(signIn) {
      await sql.rows(ADD, [
        signIn.code_hash,
        signIn.sealed_code,
        signIn.created_at,
        signIn.expires_at,
        ...progressOf(signIn),
      ]);
    },

    transition: (code_hash, rule) =>
      sql.atomically(async (own) => {
        const [before] = await own.rows<DeviceSignIn>(LOCK, [code_hash]);
        // Of one statement with the lock the time would be that before the wait for it.
        const [clock] = await own.rows<{ at: Date }>('select app.now() as at');
        if (!before || !clock) return null;
        const { signIn, answer } = rule(before, clock.at);
        const written = await own.rows(WRITE, [code_hash, before.status, ...progressOf(signIn)]);
        if (written.length !== 1) throw new Error('A sign-in has changed under its lock.');
        return answer;
      }),

    async prune() {
      return (await sql.rows(PRUNE)).length;
    },
  };
}

/** What a rule can change, in the order of the statements. */
function progressOf(signIn: DeviceSignIn): readonly unknown[] {
  const { status, owner_id, poll_every, next_poll_at, lease_token, lease_until } = signIn;
  return [status, owner_id, poll_every, next_poll_at, lease_token, lease_until];
}

const ADD = `
  insert into app.device_sign_ins (code_hash, sealed_code, created_at, expires_at, status, owner_id, poll_every,
    next_poll_at, lease_token, lease_until)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

const LOCK = `
  select code_hash, sealed_code, status, owner_id, poll_every, next_poll_at, lease_token, lease_until, created_at,
    expires_at
  from app.device_sign_ins where code_hash = $1 for update`;

const WRITE = `
  update app.device_sign_ins set status = $3, owner_id = $4, poll_every = $5, next_poll_at = $6, lease_token = $7,
    lease_until = $8
  where code_hash = $1 and status = $2
  returning code_hash`;

const PRUNE = `
  delete from app.device_sign_ins using (select app.now() as at) clock
  where expires_at <= clock.at - interval '${DEVICE_FLOW.keep / SECOND} seconds'
  returning code_hash`;
