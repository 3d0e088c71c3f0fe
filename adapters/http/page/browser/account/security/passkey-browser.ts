import { ask } from '../../kit/ask.ts';
import type { WireLogin } from '../../kit/page-session.ts';
import { RefusedRequest } from '../../kit/refused-request.ts';
import type { Schemas } from '../../kit/schemas.ts';
import { noteSession } from '../../kit/session-hint.ts';

/** Whether this browser makes and uses passkeys, and reads their options as JSON (WebAuthn level 3, section 5.1). */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Has the browser make a passkey for the options of the service. @throws RefusedRequest */
export function makePasskey(options: Schemas['PasskeyCreationOptions']): Promise<Schemas['PasskeyAttestation']> {
  const [pubKeyCredParams, excludeCredentials] = [[...options.pubKeyCredParams], [...options.excludeCredentials]];
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...options,
    pubKeyCredParams,
    excludeCredentials,
  });
  return answerOf<Schemas['PasskeyAttestation']>(navigator.credentials.create({ publicKey }));
}

/** Signs in by a passkey that the reader chooses. @throws RefusedRequest */
export function logInByPasskey(): Promise<void> {
  return provePasskey('/api/v1/public/auth/passkey');
}

/** Logs the owner in again, by a passkey. @throws RefusedRequest */
export function reauthenticateByPasskey(): Promise<void> {
  return provePasskey('/api/v1/owner/auth/reauthenticate');
}

async function provePasskey(path: string): Promise<void> {
  const options = await ask<Schemas['PasskeyRequestOptions']>('/api/v1/public/auth/passkey/options', {
    method: 'POST',
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, allowCredentials: [] });
  const passkey = await answerOf<Schemas['PasskeyAssertion']>(navigator.credentials.get({ publicKey }));
  noteSession((await ask<WireLogin>(path, { method: 'POST', body: { passkey } })).session_expires_at);
}

/** What the authenticator answered, as the service reads it. Why it did not is shown like a refusal of the service. */
async function answerOf<Answer>(asked: Promise<Credential | null>): Promise<Answer> {
  try {
    const credential = await asked;
    if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey.');
    return credential.toJSON() as Answer;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    throw new RefusedRequest({ status: -1, ...(REASONS[name] ?? FAILED) });
  }
}

const FAILED = {
  message: 'The browser could not use a passkey.',
  suggestion: 'Try again, or use another browser or device.',
};

/** By the names of WebAuthn level 3, sections 5.1.3 and 5.1.4. */
const REASONS: Readonly<Record<string, { readonly message: string; readonly suggestion: string }>> = {
  NotAllowedError: {
    message: 'The browser returned no passkey: it was cancelled, took too long, or there is none for this service.',
    suggestion: 'Try again.',
  },
  InvalidStateError: {
    message: 'This device has a passkey of your account already.',
    suggestion: 'Use that one, or add one on another device.',
  },
};
