import { activeOwner } from '../../../domain/accounts/owner.ts';
import type { LoginStore } from '../../../domain/accounts/sign-in/login-store.ts';
import { isOver, type SessionStore, type UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { LOGIN, SESSION } from '../../../domain/limits.ts';
import { windowStart } from '../../../domain/time.ts';
import { hex, type Table } from '../kit/table.ts';
import type { OwnerTables } from './provider-stores.ts';

export interface SessionTables extends OwnerTables {
  /** By the hash, in hex. */
  readonly sessions: Table<string, UsedSession>;
}

export function memorySessions({ sessions, owners }: SessionTables, now: () => Date): SessionStore {
  const lastUsed = (owner: string) =>
    sessions
      .where(({ owner_id }) => owner_id === owner)
      .toSorted((a, b) => Number(b.last_seen_at) - Number(a.last_seen_at) || (keyOf(a) < keyOf(b) ? -1 : 1));
  return {
    async add(session) {
      activeOwner(owners.get(session.owner_id));
      if (sessions.get(hex(session.session_hash))) throw new Error('There is a session of that hash already.');
      for (const unused of lastUsed(session.owner_id).slice(SESSION.perOwner - 1)) sessions.delete(keyOf(unused));
      sessions.set(hex(session.session_hash), { ...session, last_seen_at: session.created_at });
    },

    list: async (owner_id) => lastUsed(owner_id),

    find: async (session_hash) => sessions.get(hex(session_hash)) ?? null,

    destroy: async (session_hash) =>
      sessions.get(hex(session_hash)) !== undefined && sessions.delete(hex(session_hash)),

    async destroyOf(owner_id, except) {
      const exceptKey = except && hex(except);
      return sessions.deleteWhere(
        (session) => session.owner_id === owner_id && hex(session.session_hash) !== exceptKey,
      );
    },

    async confirmRecent(session_hash, within) {
      const authenticated_at = sessions.get(hex(session_hash))?.authenticated_at;
      return authenticated_at != null && authenticated_at.getTime() > now().getTime() - within;
    },

    async destroyByProvider({ owner_id, provider_session }, until) {
      if (owner_id === null && provider_session === null) throw new Error('Neither an owner nor a session is given.');
      const ended = sessions.where(
        (session) =>
          (owner_id === null || session.owner_id === owner_id) &&
          (provider_session === null || session.provider_session === provider_session) &&
          session.created_at <= until,
      );
      for (const session of ended) sessions.delete(keyOf(session));
      return ended.map((session) => session.owner_id);
    },

    async prune() {
      const at = now();
      return sessions.deleteWhere((session) => isOver(session, at));
    },
  };
}

function keyOf({ session_hash }: UsedSession): string {
  return hex(session_hash);
}

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
