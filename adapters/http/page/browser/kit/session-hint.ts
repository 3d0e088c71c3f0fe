const HINT = 'session-expires-at';
const CHANGED = 'session-changed';

/**
 * Whether this browser signed in and has not signed out. The session itself is a cookie that scripts cannot read; this
 * only avoids requests that would be refused without a session.
 */
export function isSignedIn(): boolean {
  return Date.parse(localStorage.getItem(HINT) ?? '') > Date.now();
}

/** A session has begun, which ends at that time at the latest. */
export function noteSession(expiresAt: string): void {
  localStorage.setItem(HINT, expiresAt);
  dispatchEvent(new Event(CHANGED));
}

/** The session has ended, here or elsewhere. */
export function forgetSession(): void {
  if (localStorage.getItem(HINT) === null) return;
  localStorage.removeItem(HINT);
  dispatchEvent(new Event(CHANGED));
}

/** Calls back whenever a session begins or ends, in this tab or in another one of the browser. */
export function onSessionChange(changed: () => void): void {
  addEventListener(CHANGED, changed);
  addEventListener('storage', ({ key }) => {
    if (key === HINT || key === null) changed();
  });
}
