import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { poll, redeem, settle, type Transition } from '../../../domain/accounts/provider/device-polling.ts';
import type { DeviceSignIn } from '../../../domain/accounts/provider/device-sign-in.ts';
import type { DeviceSignInStore } from '../../../domain/accounts/provider/device-sign-in-store.ts';
import { DEVICE_FLOW } from '../../../domain/limits.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aDeviceSignIn, anOwner } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises of a store of device sign-ins, by a clock that the test moves. */
export function deviceSignInStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let signIns: DeviceSignInStore;
  beforeAll(async () => {
    opened = await adapter.open();
    signIns = opened.storage.deviceSignIns;
  });
  beforeEach(() => opened.arrange.freeze(NOON));
  afterAll(() => opened.close());

  async function added(changes: Partial<DeviceSignIn> = {}): Promise<DeviceSignIn> {
    const signIn = aDeviceSignIn(NOON, changes);
    await signIns.add(signIn);
    return signIn;
  }

  async function approved(): Promise<DeviceSignIn & { readonly owner_id: string }> {
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    const { owner_id } = owner;
    return { ...(await added({ status: 'approved', owner_id })), owner_id };
  }

  const rowOf = ({ code_hash }: DeviceSignIn) =>
    signIns.transition(code_hash, (signIn) => ({ signIn, answer: { ...signIn } }));

  test('a sign-in is stored as it was added', async () => {
    const lease = { lease_token: randomUUID(), lease_until: new Date(NOON.getTime() + 1) };
    for (const signIn of [await added(), await added(lease), await approved()]) {
      const { code_hash, sealed_code, ...rest } = (await rowOf(signIn)) ?? aDeviceSignIn(NOON);
      expect(rest).toEqual({ ...signIn, code_hash: undefined, sealed_code: undefined });
      expect(Buffer.compare(code_hash, signIn.code_hash)).toBe(0);
      expect(Buffer.compare(sealed_code, signIn.sealed_code)).toBe(0);
    }
  });

  test('a code is nobody else’s', async () => {
    const { code_hash } = await added();
    await expect(signIns.add(aDeviceSignIn(NOON, { code_hash }))).rejects.toThrow();
  });

  test('no rule is applied to a code that nobody has', async () => {
    const rule = () => {
      throw new Error('a rule was applied');
    };
    expect(await signIns.transition(aDeviceSignIn(NOON).code_hash, rule)).toBeNull();
  });

  test('a rule sees the time of the database, and its result is stored', async () => {
    const signIn = await added();
    await opened.arrange.advance(MINUTE);
    const lease_token = randomUUID();
    const polledAt = new Date(NOON.getTime() + MINUTE);
    const answer = await signIns.transition(signIn.code_hash, (before, now) => poll(before, lease_token, now));
    expect(answer?.step).toBe('exchange');
    expect(await rowOf(signIn)).toMatchObject({ lease_token, next_poll_at: new Date(polledAt.getTime() + 5_000) });
  });

  test('a rule that throws changes nothing', async () => {
    const signIn = await added();
    const fault = new Error('the rule failed');
    const rule = () => {
      throw fault;
    };
    await expect(signIns.transition(signIn.code_hash, rule)).rejects.toBe(fault);
    expect(await rowOf(signIn)).toMatchObject({ status: 'pending', lease_token: null });
  });

  test('nobody who is not there can have approved', async () => {
    const { code_hash } = await added();
    const rule = (signIn: DeviceSignIn): Transition<null> => ({
      signIn: { ...signIn, status: 'approved', owner_id: anOwner().owner_id },
      answer: null,
    });
    await expect(signIns.transition(code_hash, rule)).rejects.toThrow();
  });

  test('of 20 who poll one code at once, one asks the provider', async () => {
    for (let round = 0; round < 5; round += 1) expect(await exchangesAtOnce(signIns, await added())).toBe(1);
  });

  test('of 20 who redeem one code at once, one does', async () => {
    for (let round = 0; round < 5; round += 1) expect(await redemptions(signIns, await approved())).toBe(1);
  });

  test('polls, exchanges and redemptions of 20 workers give one key, and one exchange at a time', async () => {
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    const { code_hash } = await added({ poll_every: 1 });
    let asking = 0;
    let most = 0;
    const keys = await race(20, async () => {
      const lease = randomUUID();
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const answer = await signIns.transition(code_hash, (each) => ({
          ...poll({ ...each, poll_every: 1, next_poll_at: NOON }, lease, NOON),
        }));
        if (answer?.step === 'exchange') {
          asking += 1;
          most = Math.max(most, asking);
          await new Promise((resolve) => setImmediate(resolve));
          const found =
            attempt < 2 ? { outcome: 'pending' as const } : { outcome: 'approved' as const, owner_id: owner.owner_id };
          asking -= 1;
          await signIns.transition(code_hash, (each, now) => settle(each, lease, found, now));
        }
        if (answer?.step === 'over') return 0;
        const redeemed = await signIns.transition(code_hash, redeem);
        if (redeemed?.step === 'redeemed') return 1;
      }
      return 0;
    });
    expect([most, keys.reduce<number>((sum, key) => sum + key, 0)]).toEqual([1, 1]);
  });

  test('what a transaction redeemed can be redeemed again when it is undone', async () => {
    const signIn = await approved();
    const fault = new Error('no key could be issued');
    const work = opened.storage.transaction(async ({ deviceSignIns }) => {
      expect((await deviceSignIns.transition(signIn.code_hash, redeem))?.step).toBe('redeemed');
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect((await signIns.transition(signIn.code_hash, redeem))?.step).toBe('redeemed');
  });

  test('of 20 transactions that redeem one code, each of which may fail, one keeps what it did', async () => {
    const signIn = await approved();
    const fault = new Error('no key could be issued');
    const committed = await race(20, (worker) =>
      opened.storage
        .transaction(async ({ deviceSignIns }) => {
          const answer = await deviceSignIns.transition(signIn.code_hash, redeem);
          if (worker % 2 === 0) throw fault;
          return answer?.step === 'redeemed';
        })
        .catch((error: unknown) => {
          if (error !== fault) throw error;
          return false;
        }),
    );
    expect(committed.filter(Boolean)).toHaveLength(1);
  });

  test('pruning removes sign-ins whose time to answer is over, and nothing else', async () => {
    await opened.arrange.freeze(new Date(NOON.getTime() + 7 * 24 * 60 * MINUTE));
    await signIns.prune();
    await opened.arrange.freeze(NOON);
    const since = (millis: number) => new Date(NOON.getTime() - millis);
    const expired = await added({ expires_at: since(DEVICE_FLOW.keep) });
    const recent = await added({ expires_at: since(DEVICE_FLOW.keep - 1) });
    const open = await added();
    expect(await signIns.prune()).toBe(1);
    expect(await Promise.all([expired, recent, open].map(rowOf))).toMatchObject([null, {}, {}]);
  });
}

/** How many of 20 that poll a sign-in at once after its interval get the step that asks the provider. */
export async function exchangesAtOnce(signIns: DeviceSignInStore, { code_hash }: DeviceSignIn): Promise<number> {
  const answers = await race(20, () =>
    signIns.transition(code_hash, (signIn, now) => poll({ ...signIn, next_poll_at: now }, randomUUID(), now)),
  );
  return answers.filter((answer) => answer?.step === 'exchange').length;
}

/** How many of 20 that redeem an approved sign-in at once get the reply that they did. */
export async function redemptions(signIns: DeviceSignInStore, { code_hash }: DeviceSignIn): Promise<number> {
  const answers = await race(20, () => signIns.transition(code_hash, redeem));
  return answers.filter((answer) => answer?.step === 'redeemed').length;
}
