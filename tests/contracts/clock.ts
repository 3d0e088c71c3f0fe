import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { aKeyOf, anOwner } from '../builders/accounts.ts';
import { callerByKey } from '../harness/known-callers.ts';
import type { Contract, Opened } from './adapters.ts';

export const clockContract: Contract = {
  name: 'clock',
  promises(open) {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    test('it does not go back, and the last seen time is never ahead', async () => {
      const { clock } = opened.storage;
      const first = await clock.lastSeen();
      const second = await clock.now();
      const third = await clock.lastSeen();
      const fourth = await clock.now();
      const times = [first, second, third, fourth].map((at) => at.getTime());
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test('admitting a request advances the last seen time', async () => {
      const { clock, owners, apiKeys, admission } = opened.storage;
      const owner = anOwner();
      const key = aKeyOf(owner);
      await owners.add(owner);
      await apiKeys.add(key, 5);
      const before = await clock.now();
      await new Promise((resolve) => setTimeout(resolve, 5));
      await callerByKey(admission, key);
      expect((await clock.lastSeen()).getTime()).toBeGreaterThan(before.getTime());
    });
  },
};
