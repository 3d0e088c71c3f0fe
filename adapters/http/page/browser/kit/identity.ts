import { ask } from './ask.ts';
import { ownRetryAfter } from './refused-request.ts';
import { everyoneNeedsFactor } from './refused-state.ts';
import type { Schemas } from './schemas.ts';
import { forgetSession, isSignedIn, noteSession } from './session-hint.ts';

/** Who is signed in: `email` is null for an account of the identity provider, which has no password. */
export type Identity = NonNullable<Schemas['Capabilities']['owner']>;

let known: Promise<Identity | null> | undefined;

/** Reads it once for each session; null without a session, or if it cannot be read now. */
export function readIdentity(): Promise<Identity | null> {
  if (!isSignedIn()) return Promise.resolve(null);
  known ??= readStatus().catch(() => {
    known = undefined;
    return null;
  });
  return known;
}

/** After a change of the session. */
export function forgetIdentity(): void {
  known = undefined;
}

/** Whether the session needs a second factor before it can do anything else. */
export async function lacksFactor(): Promise<boolean> {
  return everyoneNeedsFactor() && ((await readIdentity())?.needs_factor ?? false);
}

/** The header shows no refusal: it is filled once a refusal for a moment has ended. */
async function readStatus(attempt = 0): Promise<Identity | null> {
  try {
    const { owner = null } = await ask<Schemas['Capabilities']>('/api/v1/public/auth/status');
    return owner;
  } catch (error) {
    const seconds = ownRetryAfter(error, attempt);
    if (seconds === null) throw error;
    await new Promise((done) => setTimeout(done, seconds * 1_000));
    return readStatus(attempt + 1);
  }
}

export interface WireLogin {
  readonly email: string | null;
  readonly session_expires_at: string;
}

/** Signs in by password, with the code of a second factor where the account has one. @throws RefusedRequest */
export async function logIn(
  email: string,
  password: string,
  factor: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { session_expires_at } = await ask<WireLogin>('/api/v1/public/auth/login', {
    method: 'POST',
    body: { email, password, ...factor },
  });
  noteSession(session_expires_at);
}

/** Ends the session. It is forgotten here even if the service cannot be reached. */
export async function logOut(): Promise<void> {
  await ask('/api/v1/owner/auth/logout', { method: 'POST' }).finally(forgetSession);
}
