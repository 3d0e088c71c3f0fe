import { parseApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type { Identity } from '../../../domain/accounts/provider/identity-provider.ts';
import { isSessionId } from '../../../domain/accounts/sign-in/session.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { Proof } from '../../../domain/quotas/admission.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { hashOfKey } from '../keys/issue-key.ts';

/** One credential as presented. */
export interface PresentedCredential {
  readonly kind: Caller['credential'];
  readonly secret: string;
}

/**
 * What the credential proves by itself (settled.md section 8); the admission resolves it to a caller. null for an
 * invalid one: a mistyped, cut or invented key or session costs no query, and a token that the identity provider did
 * not sign costs only its verification.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
export async function proofOf(
  ports: Pick<Ports, 'identityProvider'>,
  { kind, secret }: PresentedCredential,
): Promise<Proof | null> {
  switch (kind) {
    case 'api_key': {
      const parts = parseApiKey(secret);
      return parts && { credential: kind, key_hash: hashOfKey(parts.key) };
    }
    case 'legacy_session':
      return isSessionId(secret) ? { credential: kind, session_hash: hashOfSession(secret) } : null;
    case 'owner_bearer': {
      const identity = await identityOfBearer(ports, secret);
      return identity && { credential: kind, identity };
    }
  }
}

/**
 * The identity that a bearer token proves (interface.md section 5); null for an invalid one, and for every token where
 * no provider is set up.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
async function identityOfBearer(
  { identityProvider }: Pick<Ports, 'identityProvider'>,
  token: string,
): Promise<Identity | null> {
  return identityProvider === null ? null : identityProvider.verifyBearer(token);
}

/** SHA-256 of a session's id: its 256 random bits need no slow hash. */
export function hashOfSession(id: string): Uint8Array {
  return sha256(id);
}
