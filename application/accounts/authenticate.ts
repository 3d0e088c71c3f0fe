import { parseApiKey } from '../../domain/accounts/api-key.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Ports } from '../ports.ts';
import { hashOfKey } from './issue-key.ts';

/** One credential as it was presented. */
export interface PresentedCredential {
  readonly kind: Caller['credential'];
  readonly secret: string;
}

/** Whom the credential proves, or null when it proves nobody: unknown, malformed, revoked (settled.md section 8). */
export async function authenticate(
  ports: Pick<Ports, 'apiKeys'>,
  { kind, secret }: PresentedCredential,
): Promise<Caller | null> {
  switch (kind) {
    case 'api_key':
      return callerOfKey(ports, secret);
    case 'owner_bearer':
    case 'legacy_session':
      return null;
  }
}

/** A key that was mistyped, cut or made up costs no query. */
async function callerOfKey({ apiKeys }: Pick<Ports, 'apiKeys'>, secret: string): Promise<Caller | null> {
  const parts = parseApiKey(secret);
  return parts && apiKeys.authenticate(hashOfKey(parts.key));
}
