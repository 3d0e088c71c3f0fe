import { expect, test } from '@jest/globals';
import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import { aDeviceSignIn, anOwner } from '../../builders/accounts.ts';
import { NOON } from '../decisions/adapters.ts';
import { exchangesAtOnce, redemptions } from './device-sign-in-store.ts';

// The races must be able to fail: a store that reads, then writes loses both.

test('a store that reads, then writes has several ask the provider at once', async () => {
  const signIn = aDeviceSignIn(NOON);
  expect(await exchangesAtOnce(naive(signIn), signIn)).toBeGreaterThan(1);
});

test('a store that reads, then writes redeems one code several times', async () => {
  const signIn = aDeviceSignIn(NOON, { status: 'approved', owner_id: anOwner().owner_id });
  expect(await redemptions(naive(signIn), signIn)).toBeGreaterThan(1);
});

function naive(row: DeviceSignIn): DeviceSignInStore {
  let stored = row;
  return {
    add: async () => undefined,
    async transition(_, rule) {
      const read = stored;
      await new Promise((resolve) => setImmediate(resolve));
      const { signIn, answer } = rule(read, NOON);
      stored = signIn;
      return answer;
    },
    prune: async () => 0,
  };
}
