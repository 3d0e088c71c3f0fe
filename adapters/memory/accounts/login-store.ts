import type { LoginStore } from '../../../domain/accounts/sign-in/login-store.ts';
import { LOGIN } from '../../../domain/limits.ts';
import { windowStart } from '../../../domain/time.ts';
import { hex } from '../kit/hex.ts';
import type { Table } from '../kit/table.ts';
import type { OwnerTables } from './owner-store.ts';

export interface LoginTables extends OwnerTables {
  /** By the hash of the account, in hex. */
  readonly loginAttempts: Table<string, { readonly window_start: Date; readonly used: number }>;
}

export function memoryLogins({ loginAttempts, owners }: LoginTables, now: () => Date): LoginStore {
  return {
    async count(account_hash, atMost, window = LOGIN.window) {
      const at = now();
      const current = windowStart(at, window);
      const before = loginAttempts.get(hex(account_hash));
      const counted = before && before.window_start >= current ? before : { window_start: current, used: 0 };
      if (counted.used >= atMost) return { account_hash, admitted: false, window_start: current, at };
      loginAttempts.set(hex(account_hash), { ...counted, used: counted.used + 1 });
      return { account_hash, admitted: true, window_start: counted.window_start, at };
    },

    async takeBack({ account_hash, window_start }) {
      const counted = loginAttempts.get(hex(account_hash));
      if (counted?.window_start.getTime() !== window_start.getTime() || counted.used === 0) return;
      loginAttempts.set(hex(account_hash), { ...counted, used: counted.used - 1 });
    },

    async forget(account_hash) {
      loginAttempts.delete(hex(account_hash));
    },

    async prune() {
      const at = now();
      return loginAttempts.deleteWhere(({ window_start }) => window_start.getTime() + LOGIN.keep <= at.getTime());
    },

    confirm: async (owner_id, password_hash) => owners.get(owner_id)?.password_hash === password_hash,

    async change(owner_id, from, to) {
      const owner = owners.get(owner_id);
      if (owner?.password_hash !== from) return false;
      owners.set(owner_id, { ...owner, password_hash: to });
      return true;
    },
  };
}
