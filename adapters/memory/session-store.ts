import { ownerGone } from '../../domain/accounts/owner-gone.ts';
import { isOver, isToBeNoted, type UsedSession } from '../../domain/accounts/session.ts';
import type { SessionStore } from '../../domain/accounts/session-store.ts';
import type { OwnerTables } from './owner-store.ts';
import type { Table } from './table.ts';

export interface SessionTables extends OwnerTables {
  /** By the hash, in hex. */
  readonly sessions: Table<string, UsedSession>;
}

export function memorySessions({ sessions, owners }: SessionTables, now: () => Date): SessionStore {
  return {
    async add(session) {
      if (!owners.get(session.owner_id)) throw ownerGone();
      if (sessions.get(hex(session.session_hash))) throw new Error('There is a session of that hash already.');
      sessions.set(hex(session.session_hash), { ...session, last_seen_at: session.created_at });
    },

    async authenticate(session_hash) {
      const at = now();
      const session = sessions.get(hex(session_hash));
      const owner = session && owners.get(session.owner_id);
      if (!owner || isOver(session, at)) return null;
      if (isToBeNoted(session, at)) sessions.set(hex(session_hash), { ...session, last_seen_at: at });
      const { owner_id, role, tier } = owner;
      return { credential: 'legacy_session', owner_id, role, tier };
    },

    destroy: async (session_hash) =>
      sessions.get(hex(session_hash)) !== undefined && sessions.delete(hex(session_hash)),

    async destroyOf(owner_id, except) {
      const kept = except && hex(except);
      return sessions.deleteWhere((session) => session.owner_id === owner_id && hex(session.session_hash) !== kept);
    },

    async prune() {
      const at = now();
      return sessions.deleteWhere((session) => isOver(session, at));
    },
  };
}

function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
