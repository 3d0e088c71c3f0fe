import { ask } from './ask.ts';
import { isSignedIn } from './session-hint.ts';

/** Who is signed in, as the auth status says. */
export interface Identity {
  readonly owner_id: string;
  /** null for an account of the identity provider. */
  readonly email: string | null;
  readonly role: 'owner' | 'admin' | null;
  readonly tier: string;
}

let known: Promise<Identity | null> | undefined;

/** Reads it once for each session; null without a session, or if it cannot be read now. */
export function readIdentity(): Promise<Identity | null> {
  if (!isSignedIn()) return Promise.resolve(null);
  known ??= ask<Identity>('/api/v1/public/auth/status').catch(() => {
    known = undefined;
    return null;
  });
  return known;
}

/** After a change of the session. */
export function forgetIdentity(): void {
  known = undefined;
}
