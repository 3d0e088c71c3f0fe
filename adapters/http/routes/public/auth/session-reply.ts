import type { LoggedIn } from '../../../../../application/accounts/sign-in/begin-session.ts';
import { SESSION } from '../../../../../domain/limits.ts';
import { SECOND } from '../../../../../domain/time.ts';
import { sessionCookie } from '../../../kit/caller/session-cookie.ts';
import { loginReply } from '../../../shapes/accounts.ts';

const IDLE_SECONDS = SESSION.idle / SECOND;

/** The documented reply of every kind of login; the example is of an owner with that email. */
export function sessionReply(email: string | null) {
  return {
    description: 'The session has begun.',
    schema: loginReply,
    example: {
      owner_id: '0193a1c0-7c00-7a3b-8c4d-5e6f708192a3',
      email,
      role: 'owner',
      tier: 'free',
      session_expires_at: new Date('2026-02-06T14:30:00.000Z'),
      session_idle_seconds: IDLE_SECONDS,
    },
    headers: { 'set-cookie': "The session's cookie: HttpOnly, SameSite=Lax, and Secure on https." },
  } as const;
}

/** The reply that sets the session in the cookie of that name. */
export function replyWithSession(cookieName: string, { owner, session_id, session_expires_at }: LoggedIn) {
  const { owner_id, email, role, tier } = owner;
  const headers = { 'set-cookie': sessionCookie(cookieName, session_id, SESSION.absolute) };
  const session = { session_expires_at, session_idle_seconds: IDLE_SECONDS };
  return { status: 200, headers, body: { owner_id, email, role, tier, ...session } } as const;
}
