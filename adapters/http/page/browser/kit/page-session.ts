import { ask } from './ask.ts';
import { forgetSession, noteSession } from './session-hint.ts';

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
