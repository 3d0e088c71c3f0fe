import type { Identity } from '../../../domain/accounts/provider/identity.ts';
import type { Ports } from '../../ports.ts';

/**
 * The identity that a bearer token proves (interface.md section 5); null for an invalid one, and for every token where
 * no provider is set up.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
export async function identityOfBearer(
  { identityProvider }: Pick<Ports, 'identityProvider'>,
  token: string,
): Promise<Identity | null> {
  return identityProvider === null ? null : identityProvider.verifyBearer(token);
}
