import { describe, expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { aDraft, anAgent, aSubmission } from '../../builders/decisions.ts';
import { decisionAdapters } from '../decisions/adapters.ts';
import { benchOn } from '../decisions/bench.ts';
import { erasureContract, survivorsOfRemoval } from './erasure.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  describe(erasureContract.name, () => erasureContract.promises(benchOn(adapter)));
});

test('a removal that erases the records first, and then removes the account, leaves what is submitted meanwhile', async () => {
  const storage = openMemory();
  const { decisions, erasures, ownerAdministration } = storage;
  const remove = async (owner_id: string) => {
    await decisions.find([], null);
    for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
    return ownerAdministration.remove(owner_id);
  };
  const planted = {
    ...storage,
    erasures: { ...erasures, eraseRecords: async () => ({ written: 0, state: 'ended' as const }) },
  };
  const now = () => storage.clock.now();
  const survivors = await survivorsOfRemoval(
    {
      storage: () => planted,
      agent: () => anAgent(storage),
      now,
      submit: async (agent, changes) => {
        const time = await now();
        return storage.intake.submit(aDraft(agent, time, aSubmission(time, changes)));
      },
    },
    remove,
  );
  expect(survivors.length).toBeGreaterThan(0);
});
