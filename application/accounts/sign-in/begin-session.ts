import { randomBytes } from 'node:crypto';
import type { SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { ActionSource, SecurityEvent } from '../../../domain/accounts/security-event.ts';
import { endOfSession, SESSION_ID_BYTES } from '../../../domain/accounts/sign-in/session.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Stores } from '../../ports.ts';
import { endPresented } from './log-out.ts';
import { endedSession } from './recent-login.ts';
import { hashOfSession } from './session-hash.ts';

export interface LoggedIn {
  readonly owner: Owner;
  /** The id itself: shown to its owner once, and stored nowhere. */
  readonly session_id: string;
  /** When the session ends at the latest; an unused one ends earlier. */
  readonly session_expires_at: Date;
}

/** A login that begins a session. */
export interface NewLogin {
  readonly now: Date;
  /** When the owner proved to be the owner; null where the identity provider does not say. */
  readonly authenticated_at: Date | null;
  readonly source: Pick<ActionSource, 'network' | 'client'>;
  /** Only of logins through the provider. */
  readonly provider_session?: string | null;
  /** What the owner proved besides a password; default: nothing. */
  readonly factor?: SessionFactor | null;
}

/**
 * Begins a session of an owner who has proved the right to it (settled.md section 8). The id is new, whatever came with
 * the request; the browser's earlier session ends.
 * @param presented the session id that came with the request, not verified yet
 * @throws Problem UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
 */
export async function beginSession(
  { sessions }: Pick<Stores, 'sessions'>,
  owner: Owner,
  presented: string | undefined,
  { now: created_at, authenticated_at, source, provider_session = null, factor = null }: NewLogin,
): Promise<LoggedIn> {
  if (presented !== undefined) await endPresented({ sessions }, presented);
  const session_id = randomBytes(SESSION_ID_BYTES).toString('base64url');
  const { owner_id } = owner;
  const { network, client } = source;
  const origin = { authenticated_at, network, client, provider_session, factor };
  const session = { session_hash: hashOfSession(session_id), owner_id, created_at, ...origin };
  await sessions.add(session);
  return { owner, session_id, session_expires_at: endOfSession(session) };
}

/** Logs an owner in; what a suspension refuses is noted as that failure, which a transaction would undo. */
export async function notingSuspension<T>(
  { securityEvents }: Pick<Stores, 'securityEvents'>,
  failure: SecurityEvent,
  login: () => Promise<T>,
): Promise<T> {
  try {
    return await login();
  } catch (fault) {
    if (fault instanceof Problem && fault.code === 'ACCOUNT_SUSPENDED') await securityEvents.append(failure);
    throw fault;
  }
}

/**
 * Replaces the session of a request by one with a new id, for an owner who has just proved to be the owner. The request
 * cannot restore a session that ended meanwhile.
 * @throws Problem UNAUTHORIZED for a session that has ended
 */
export async function replaceSession(
  { sessions }: Pick<Stores, 'sessions'>,
  owner: Owner,
  session_id: string,
  login: NewLogin,
): Promise<LoggedIn> {
  if (await sessions.destroy(hashOfSession(session_id))) return beginSession({ sessions }, owner, undefined, login);
  throw endedSession();
}
