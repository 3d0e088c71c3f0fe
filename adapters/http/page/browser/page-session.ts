import { ask } from './ask.ts';

const HINT = 'session-expires-at';

interface Login {
  readonly email: string | null;
  readonly session_expires_at: string;
}

/**
 * Whether this browser logged in and has not logged out. The session itself is a cookie that scripts cannot read; this
 * only avoids requests that would be refused without a session.
 */
export function isLoggedIn(): boolean {
  return Date.parse(localStorage.getItem(HINT) ?? '') > Date.now();
}

export async function logIn(email: string, password: string): Promise<void> {
  const { session_expires_at } = await ask<Login>('/api/v1/public/auth/login', {
    method: 'POST',
    body: { email, password },
  });
  localStorage.setItem(HINT, session_expires_at);
}

export async function logOut(): Promise<void> {
  localStorage.removeItem(HINT);
  await ask('/api/v1/owner/auth/logout', { method: 'POST' });
}

/** The session has ended elsewhere. */
export function forgetSession(): void {
  localStorage.removeItem(HINT);
}
