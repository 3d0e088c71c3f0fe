import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { isOver, sessionName, type UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import type { PresentedCredential } from './proof-of-credential.ts';
import { hashOfSession } from './session-hash.ts';

/** A session as its owner sees it: the id itself is not in it. */
export interface ListedSession
  extends Omit<UsedSession, 'session_hash' | 'owner_id' | 'last_seen_at' | 'provider_session'> {
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
