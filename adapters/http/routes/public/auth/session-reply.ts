import type { LoggedIn } from '../../../../../application/accounts/sign-in/begin-session.ts';
import type { PasswordLogin } from '../../../../../application/accounts/sign-in/log-in.ts';
import { LOGIN, SESSION } from '../../../../../domain/limits.ts';
import { SECOND } from '../../../../../domain/time.ts';
import { deviceCookie, sessionCookie } from '../../../kit/caller/session-cookie.ts';
import { loginReply } from '../../../shapes/accounts/accounts.ts';

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
    headers: { 'set-cookie': COOKIES },
  } as const;
}

export const COOKIES =
  "The session's cookie: HttpOnly, SameSite=Lax, and Secure on https. After a login by password also `__Host-device` " +
  '(`device` on plain http), which gives this browser an allowance of wrong passwords of its own and nothing else.';

/** The Set-Cookie of a session, and of the device where the owner proved the password. */
export function loginCookies(
  name: string,
  { session_id, device_token }: Pick<LoggedIn, 'session_id'> & Partial<PasswordLogin>,
) {
  const session = sessionCookie(name, session_id, SESSION.absolute);
  if (device_token === undefined) return { 'set-cookie': session };
  return { 'set-cookie': [session, sessionCookie(deviceCookie(name), device_token, LOGIN.deviceLife)] };
}

/** The reply that sets the session in the cookie of that name. */
export function replyWithSession(cookieName: string, login: LoggedIn & Partial<PasswordLogin>) {
  const { owner, session_expires_at } = login;
  const { owner_id, email, role, tier } = owner;
  const headers = loginCookies(cookieName, login);
  const session = { session_expires_at, session_idle_seconds: IDLE_SECONDS };
  return { status: 200, headers, body: { owner_id, email, role, tier, ...session } } as const;
}
