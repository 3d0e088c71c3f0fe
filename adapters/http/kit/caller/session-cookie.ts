import { type Millis, SECOND } from '../../../../domain/time.ts';

/**
 * The Set-Cookie that gives a browser its session (settled.md section 8). Scripts cannot read it, and forms of other
 * sites do not send it. Browsers accept a name with `__Host-` only on https and only from this host.
 */
export function sessionCookie(name: string, id: string, maxAge: Millis): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${id}; Path=/; Max-Age=${Math.floor(maxAge / SECOND)}; HttpOnly; SameSite=Lax${secure}`;
}

/** The Set-Cookie that deletes it in the browser. */
export function clearedSessionCookie(name: string): string {
  return sessionCookie(name, '', 0);
}

/** The name of the cookie that shows that a browser has logged in to an account before. */
export function deviceCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-device' : 'device';
}

/** The name of the cookie that binds a login through the identity provider to its browser. */
export function browserCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-idp' : 'idp';
}

/** The name of the cookie that binds a challenge for passkeys to its browser. */
export function passkeyCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-passkey' : 'passkey';
}
