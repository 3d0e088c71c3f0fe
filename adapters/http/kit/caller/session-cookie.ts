import { type Millis, SECOND } from '../../../../domain/time.ts';

/**
 * The Set-Cookie that gives a browser its session (settled.md section 8): no script reads it, no other site's form
 * sends it. A name with `__Host-` is taken by browsers on https alone, and of this host alone.
 */
export function sessionCookie(name: string, id: string, maxAge: Millis): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${id}; Path=/; Max-Age=${Math.floor(maxAge / SECOND)}; HttpOnly; SameSite=Lax${secure}`;
}

/** The Set-Cookie that has the browser forget it. */
export function clearedSessionCookie(name: string): string {
  return sessionCookie(name, '', 0);
}

/** The name of the cookie that binds a login through the identity provider to its browser, beside the session's. */
export function browserCookie(sessionCookieName: string): string {
  return sessionCookieName.startsWith('__Host-') ? '__Host-idp' : 'idp';
}
