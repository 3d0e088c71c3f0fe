import { forgetChoices } from './kept.ts';

const HINT = 'session-expires-at';
const UNKNOWN = 'unknown';
const CHANGED = 'session-changed';

/**
 * Whether this browser signed in and has not signed out. The session itself is a cookie that scripts cannot read; this
 * only avoids requests that would be refused without a session.
 */
export function isSignedIn(): boolean {
  const hint = sessionHint() ?? '';
  return hint === UNKNOWN || Date.parse(hint) > Date.now();
}

/** What this browser knows of its session: another one of the same account has another. */
export function sessionHint(): string | null {
  return localStorage.getItem(HINT);
}

/** A session has begun, which ends at that time at the latest; null if the reply did not say when. */
export function noteSession(expiresAt: string | null): void {
  localStorage.setItem(HINT, expiresAt ?? UNKNOWN);
  dispatchEvent(new Event(CHANGED));
}

/** The session has ended, here or elsewhere: what its owner chose in this browser goes with it. */
export function forgetSession(): void {
  if (localStorage.getItem(HINT) === null) return;
  forgetChoices();
  localStorage.removeItem(HINT);
  dispatchEvent(new Event(CHANGED));
}

/** Calls back whenever a session begins or ends, in this tab or in another one of the browser. */
export function onSessionChange(changed: () => void): void {
  addEventListener(CHANGED, changed);
  addEventListener('storage', ({ key }) => {
    // The storage is being cleared, as a logout asks for: until it is, this page can still read the hint.
    if (key === null) localStorage.removeItem(HINT);
    if (key === HINT || key === null) changed();
  });
}
