import { Problem } from '../../../domain/problem.ts';

/** The client of the identity provider. @throws Problem OAUTH_NOT_CONFIGURED where none is set up */
export function configured<Provider>(provider: Provider | null): Provider {
  if (provider !== null) return provider;
  throw new Problem('OAUTH_NOT_CONFIGURED', 'No identity provider is set up here.');
}
