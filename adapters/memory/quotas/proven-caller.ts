import { type BarredKey, keyBar } from '../../../domain/accounts/keys/key-bounds.ts';
import { isOver, isToBeNoted } from '../../../domain/accounts/sign-in/session.ts';
import type { Caller, KeyCaller, OwnerCaller } from '../../../domain/caller.ts';
import type { AdmissionRequest, Proof } from '../../../domain/quotas/admission.ts';
import type { KeyTables } from '../accounts/api-key-store.ts';
import { type IdentityTables, ownerOf } from '../accounts/identity-store.ts';
import type { SessionTables } from '../accounts/session-store.ts';
import { hex } from '../kit/hex.ts';

export interface ProofTables extends KeyTables, SessionTables, IdentityTables {}

/** Whom the proof stands for; null for nobody. The use of a session is noted. */
export function provenCaller(tables: ProofTables, proof: Proof, at: Date): Caller | null {
  switch (proof.credential) {
    case 'api_key':
      return byKey(tables, proof.key_hash);
    case 'legacy_session':
      return bySession(tables, proof.session_hash, at);
    case 'owner_bearer': {
      const owner = ownerOf(tables, proof.identity);
      if (!owner || owner.suspended_at !== null) return null;
      return { credential: 'owner_bearer', owner_id: owner.owner_id, role: owner.role, tier: owner.tier };
    }
  }
}

/** Whether the proof stands for a caller; the use of a session is not noted. */
export function hasCaller(tables: ProofTables, proof: Proof, at: Date): boolean {
  if (proof.credential !== 'legacy_session') return provenCaller(tables, proof, at) !== null;
  return sessionOf(tables, proof.session_hash, at) !== null;
}

/** The unrevoked key of the request, where its bounds refuse it. */
export function barredKey(
  { keys }: KeyTables,
  { proof, from }: Pick<AdmissionRequest, 'proof' | 'from'>,
  at: Date,
): BarredKey | null {
  const key = proof?.credential === 'api_key' ? keys.get(hex(proof.key_hash)) : undefined;
  if (!key || key.revoked_at !== null) return null;
  const bar = keyBar(key, at, from);
  return bar && { bar, owner_id: key.owner_id, key_prefix: key.key_prefix };
}

function byKey({ keys, owners }: KeyTables, key_hash: Uint8Array): KeyCaller | null {
  const key = keys.get(hex(key_hash));
  const owner = key && owners.get(key.owner_id);
  if (!owner || key.revoked_at !== null) return null;
  const { owner_id, agent_id, key_prefix, permission_mode } = key;
  return { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode, tier: owner.tier };
}

function bySession(tables: SessionTables, session_hash: Uint8Array, at: Date): OwnerCaller | null {
  const found = sessionOf(tables, session_hash, at);
  if (!found) return null;
  const { session, owner } = found;
  if (isToBeNoted(session, at)) tables.sessions.set(hex(session_hash), { ...session, last_seen_at: at });
  const { owner_id, role, tier } = owner;
  return { credential: 'legacy_session', owner_id, role, tier };
}

function sessionOf({ sessions, owners }: SessionTables, session_hash: Uint8Array, at: Date) {
  const session = sessions.get(hex(session_hash));
  const owner = session && owners.get(session.owner_id);
  return !owner || owner.suspended_at !== null || isOver(session, at) ? null : { session, owner };
}
