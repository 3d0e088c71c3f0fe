import { describe, expect, test } from '@jest/globals';
import type { Identity, IdentityStore, ProviderLogin } from '../../../domain/accounts/provider/identity-provider.ts';
import { decisionAdapters } from '../decisions/adapters.ts';
import { ownersMadeAtOnce } from './identity-store.ts';
import { aProviderLogin, providerLoginStoreContract, takersAtOnce } from './provider-login-store.ts';

describe.each(decisionAdapters)('$name: logins through the provider', providerLoginStoreContract);

// The races must be able to fail: stores that read, then write lose both.

test('a store that reads, then deletes hands one login to several', async () => {
  const login = aProviderLogin();
  expect(await takersAtOnce(naiveLogins(login), login)).toBeGreaterThan(1);
});

test('a store that looks, then adds makes several owners of one identity', async () => {
  expect(await ownersMadeAtOnce(naiveIdentities())).toBeGreaterThan(1);
});

const roundTrip = () => new Promise((resolve) => setImmediate(resolve));

function naiveLogins(row: ProviderLogin) {
  let stored: ProviderLogin | null = row;
  return {
    async take() {
      const read = stored;
      await roundTrip();
      stored = null;
      return read;
    },
  };
}

function naiveIdentities(): IdentityStore {
  const known: Identity[] = [];
  return {
    find: async () => null,
    async addOwner(identity) {
      const isKnown = known.some(({ issuer, subject }) => issuer === identity.issuer && subject === identity.subject);
      await roundTrip();
      if (!isKnown) known.push(identity);
      return !isKnown;
    },
  };
}
