import { randomBytes } from 'node:crypto';
import type { SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf, type SecurityEvent } from '../../../domain/accounts/security-event.ts';
import {
  endOfSession,
  isOver,
  isSessionId,
  SESSION_ID_BYTES,
  sessionName,
  type UsedSession,
} from '../../../domain/accounts/sign-in/session.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { hashOfSession, type PresentedCredential } from './proof-of-credential.ts';
import { endedSession } from './recent-login.ts';

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

/** A session as its owner sees it: the id itself is not in it. */
interface ListedSession extends Omit<UsedSession, 'session_hash' | 'owner_id' | 'last_seen_at' | 'provider_session'> {
  readonly session_id: string;
  /** Noted about once a minute. */
  readonly last_used_at: Date;
  /** Whether it is the session of the request. */
  readonly current: boolean;
}

/** The owner's open sessions, the last used first. */
export async function listSessions(
  { sessions, clock }: Pick<Ports, 'sessions' | 'clock'>,
  owner_id: string,
  credential: PresentedCredential | null,
): Promise<readonly ListedSession[]> {
  const [stored, now] = [await sessions.list(owner_id), await clock.now()];
  const session_hash = hashOfCurrent(credential);
  const current = session_hash && sessionName({ session_hash });
  return stored
    .filter((session) => !isOver(session, now))
    .map((session) => {
      const { session_hash: _, owner_id: __, provider_session: ___, last_seen_at: last_used_at, ...shown } = session;
      const session_id = sessionName(session);
      return { session_id, last_used_at, ...shown, current: session_id === current };
    });
}

/**
 * Ends one session of the owner for every request that begins after this; no request in flight restores it.
 * @throws Problem NOT_FOUND
 */
export async function endSession(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  session_id: string,
  source: ActionSource,
): Promise<void> {
  const isEnded = await transaction(async ({ sessions, securityEvents }) => {
    const session = (await sessions.list(owner_id)).find((stored) => sessionName(stored) === session_id);
    if (!session || !(await sessions.destroy(session.session_hash))) return false;
    await securityEvents.append({ ...eventOf('session_ended', 'success', owner_id, source), subject: session_id });
    return true;
  });
  if (isEnded) return;
  throw new Problem('NOT_FOUND', 'You have no such session, or it has ended.', {
    suggestion: 'GET /api/v1/owner/auth/sessions lists your open sessions.',
  });
}

/** Ends all sessions of the owner except that of the request, as `endSession` does one; returns how many. */
export function endOtherSessions(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  credential: PresentedCredential | null,
  source: ActionSource,
): Promise<number> {
  return transaction(async ({ sessions, securityEvents }) => {
    const ended = await sessions.destroyOf(owner_id, hashOfCurrent(credential));
    if (ended > 0) await securityEvents.append(eventOf('session_ended', 'success', owner_id, source));
    return ended;
  });
}

function hashOfCurrent(credential: PresentedCredential | null): Uint8Array | null {
  return credential?.kind === 'legacy_session' ? hashOfSession(credential.secret) : null;
}

/**
 * Ends the session of this id at once and for good (interface.md section 5); nothing happens when it is over already.
 */
export function logOut(
  { transaction }: Pick<Ports, 'transaction'>,
  owner_id: string,
  id: string,
  source: ActionSource,
): Promise<void> {
  return transaction(async (stores) => {
    if (await endPresented(stores, id))
      await stores.securityEvents.append(eventOf('logout', 'success', owner_id, source));
  });
}

/** Ends the session of an id that a browser sent; false when there is none. */
async function endPresented({ sessions }: Pick<Stores, 'sessions'>, id: string): Promise<boolean> {
  return isSessionId(id) && sessions.destroy(hashOfSession(id));
}
