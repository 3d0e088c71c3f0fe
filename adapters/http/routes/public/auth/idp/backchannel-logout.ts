import { endProviderSessions } from '../../../../../../application/accounts/provider/end-provider-sessions.ts';
import type { Ports } from '../../../../../../application/ports.ts';
import { endpoint } from '../../../../kit/endpoint.ts';
import { providerLogout } from '../../../../shapes/accounts/accounts.ts';

export const providerLogoutEndpoint = (ports: Pick<Ports, 'identityProvider' | 'identities' | 'transaction'>) =>
  endpoint({
    id: 'endProviderSessions',
    method: 'POST',
    path: '/api/v1/public/auth/idp/backchannel-logout',
    summary: 'End the sessions of a person who logged out at the provider',
    description:
      'For the identity provider (OpenID Connect Back-Channel Logout 1.0): register this address as its back-channel ' +
      'logout URI. The sessions of the `sid` or `sub` in the logout token end.',
    tag: 'Accounts',
    auth: 'none',
    body: {
      schema: providerLogout,
      example: { logout_token: 'eyJ0eXAiOiJsb2dvdXQrand0In0.e30.c2ln' },
      contentType: 'application/x-www-form-urlencoded',
    },
    replies: { 200: { description: 'None of these sessions is open any more.' } },
    problems: ['OAUTH_NOT_CONFIGURED', 'OAUTH_CALLBACK_ERROR'],
    async handle({ body, source }) {
      await endProviderSessions(ports, body.logout_token, source);
      return { status: 200 };
    },
  });
