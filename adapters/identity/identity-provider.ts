import type { ProvenIdentity } from '../../domain/accounts/provider/identity.ts';
import type { IdentityProvider } from '../../domain/accounts/provider/identity-provider.ts';
import type { ProviderLogin } from '../../domain/accounts/provider/provider-login.ts';
import { IDENTITY } from '../../domain/limits.ts';
import { authorize, exchange } from './code-flow.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure, type ReportFailure, refusingFailures } from './provider-failure.ts';

/** The identity provider by OpenID Connect. The log names failures by a code; callers learn only that it failed. */
export function identityProvider(client: ProviderClient, report: ReportFailure): IdentityProvider {
  const refusing = refusingFailures(report);
  const unavailable = refusing('SERVICE_UNAVAILABLE', 'The identity provider is not available right now.');
  const proofOfBearer = (token: string) => client.identityOfAccessToken(token).catch(unavailable);
  return {
    verifyBearer: async (token) => (await proofOfBearer(token))?.identity ?? null,

    async loginOfBearer(token) {
      const proven = await proofOfBearer(token);
      return proven && { at: proven.authenticated_at, has_factor: proven.has_factor };
    },

    factorLevels: client.factorAcr,

    verifyLogout: (token) => client.logoutOfToken(token).catch(unavailable),

    authorization: (request) => authorize(client, request).catch(unavailable),

    async redeem({ code, iss }, login) {
      const failed = refusing('OAUTH_CALLBACK_ERROR', 'The identity provider did not confirm the login.');
      const proved = async () => {
        await refuseOtherIssuer(client, iss);
        const proven = await client.identityOfIdToken(await exchange(client, code, login), login.nonce);
        refuseEarlierLogin(proven, login);
        return proven;
      };
      return proved().catch(failed);
    },
  };
}

/** RFC 9207: a response of another provider must not reach the token endpoint of this one. */
async function refuseOtherIssuer(client: ProviderClient, iss: string | undefined): Promise<void> {
  const { issuer, authorization_response_iss_parameter_supported: isTold } = await client.metadata();
  if (iss === undefined ? isTold : iss !== issuer) throw new ProviderFailure('response_issuer_mismatch');
}

/** A provider that ignores `max_age` would make a session of another day a fresh login. */
function refuseEarlierLogin({ authenticated_at }: ProvenIdentity, { is_fresh, created_at }: ProviderLogin): void {
  if (!is_fresh) return;
  if (authenticated_at === null) throw new ProviderFailure('auth_time_missing');
  if (authenticated_at.getTime() < created_at.getTime() - IDENTITY.clockSkew)
    throw new ProviderFailure('login_not_fresh');
}
