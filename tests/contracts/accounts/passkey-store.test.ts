import { describe, expect, test } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { acceptedAtOnce } from './factor-store.ts';
import { passkeyStoreContract } from './passkey-store.ts';

describe.each(decisionAdapters)('$name: passkeys', passkeyStoreContract);

// The race must be able to fail: a store that looks, then deletes loses it.

test('a store that looks, then deletes hands one challenge to several', async () => {
  let isThere = true;
  const taken = await acceptedAtOnce(async () => {
    const found = isThere;
    await new Promise((resolve) => setImmediate(resolve));
    isThere = false;
    return found;
  });
  expect(taken).toBeGreaterThan(1);
});
