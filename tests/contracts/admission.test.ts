import { describe } from '@jest/globals';
import { decisionAdapters } from './decisions/adapters.ts';
import { benchOn } from './decisions/bench.ts';
import { callerContract } from './quotas/callers.ts';
import { creditContract } from './quotas/credit.ts';
import { heldCredentialContract } from './quotas/held-credentials.ts';
import { keptDaysContract } from './quotas/kept-days.ts';
import { keyBoundsContract } from './quotas/key-bounds.ts';
import { poolContract } from './quotas/pools.ts';
import { limitsBench } from './quotas/requests.ts';
import { sessionContract } from './quotas/sessions.ts';
import { windowContract } from './quotas/windows.ts';

describe.each(decisionAdapters)('$name', (adapter) => {
  describe('rate windows', () => windowContract(limitsBench(adapter)));
  describe('daily pools', () => poolContract(limitsBench(adapter)));
  describe('callers', () => callerContract(limitsBench(adapter)));
  describe('the bounds of keys', () => keyBoundsContract(limitsBench(adapter)));
  describe('callers by session', () => sessionContract(limitsBench(adapter)));
  describe('credentials of requests that go on', () => heldCredentialContract(limitsBench(adapter)));
  describe(keptDaysContract.name, () => keptDaysContract.promises(benchOn(adapter)));
  describe(creditContract.name, () => creditContract.promises(benchOn(adapter)));
});
