import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { IDENTITY } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { configured } from './configured.ts';

/**
 * Ends the sessions that a logout token of the provider names (OpenID Connect Back-Channel Logout 1.0): those of its
 * `sid`, its `sub`, or both. Only sessions that began up to its issue end, so a replayed token ends nothing that is newer.
 * @throws Problem OAUTH_NOT_CONFIGURED, OAUTH_CALLBACK_ERROR for a token that is not valid, SERVICE_UNAVAILABLE when the
 * provider's keys are unavailable
 */
export async function endProviderSessions(
  { identityProvider, identities, transaction }: Pick<Ports, 'identityProvider' | 'identities' | 'transaction'>,
  token: string,
  source: ActionSource,
): Promise<void> {
  const logout = await configured(identityProvider).verifyLogout(token);
  if (!logout) {
    throw new Problem('OAUTH_CALLBACK_ERROR', 'The logout token is not valid.', {
      suggestion: 'Send a logout token of the configured provider for this client, within 5 minutes of its issue.',
    });
  }
  const { identity, provider_session, issued_at } = logout;
  const owner = identity && (await identities.find(identity));
  if (identity && !owner) return;
  const of = { owner_id: owner?.owner_id ?? null, provider_session };
  const until = new Date(issued_at.getTime() + IDENTITY.clockSkew);
  await transaction(async ({ sessions, securityEvents }) => {
    for (const owner_id of new Set(await sessions.destroyByProvider(of, until))) {
      await securityEvents.append({
        ...eventOf('session_ended', 'success', owner_id, source),
        actor: 'identity provider',
      });
    }
  });
}
