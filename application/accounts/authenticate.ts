import { parseApiKey } from '../../domain/accounts/api-key.ts';
import { isSessionId } from '../../domain/accounts/session.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Ports } from '../ports.ts';
import { identityOfBearer } from './identity-of-bearer.ts';
import { hashOfKey } from './issue-key.ts';
import { ownerOfIdentity } from './owner-of-identity.ts';
import { hashOfSession } from './session-hash.ts';

/** One credential as it was presented. */
export interface PresentedCredential {
  readonly kind: Caller['credential'];
  readonly secret: string;
}

/**
 * Whom the credential proves, or null when it proves nobody: unknown, malformed, revoked, over, logged out
 * (settled.md section 8). Role and tier are those of this moment.
 */
export async function authenticate(
  ports: Pick<Ports, 'apiKeys' | 'sessions' | 'identityProvider' | 'identities' | 'clock'>,
  { kind, secret }: PresentedCredential,
): Promise<Caller | null> {
  switch (kind) {
    case 'api_key':
      return callerOfKey(ports, secret);
    case 'legacy_session':
      return isSessionId(secret) ? ports.sessions.authenticate(hashOfSession(secret)) : null;
    case 'owner_bearer':
      return callerOfBearer(ports, secret);
  }
}

/** A key that was mistyped, cut or made up costs no query. */
async function callerOfKey({ apiKeys }: Pick<Ports, 'apiKeys'>, secret: string): Promise<Caller | null> {
  const parts = parseApiKey(secret);
  return parts && apiKeys.authenticate(hashOfKey(parts.key));
}

async function callerOfBearer(
  ports: Pick<Ports, 'identityProvider' | 'identities' | 'clock'>,
  token: string,
): Promise<Caller | null> {
  const identity = await identityOfBearer(ports, token);
  if (!identity) return null;
  const { owner_id, role, tier } = await ownerOfIdentity(ports, identity);
  return { credential: 'owner_bearer', owner_id, role, tier };
}
