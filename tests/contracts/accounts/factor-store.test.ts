import { describe, expect, test } from '@jest/globals';
import { decisionAdapters } from '../decisions/adapters.ts';
import { acceptedAtOnce, factorStoreContract } from './factor-store.ts';

describe.each(decisionAdapters)('$name: second factors', factorStoreContract);

// The races must be able to fail: a store that reads, then writes loses them.

test('a store that reads the last step, then writes it accepts one code from several', async () => {
  let lastStep = 100;
  const useTotp = async (step: number) => {
    const isNew = lastStep < step;
    await new Promise((resolve) => setImmediate(resolve));
    if (isNew) lastStep = step;
    return isNew;
  };
  expect(await acceptedAtOnce(() => useTotp(101))).toBeGreaterThan(1);
});
