import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import { endOfWindow, type LoginStore } from '../../../domain/accounts/sign-in/login-store.ts';
import { LOGIN } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { anOwner, aSessionOf } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

const anAccount = () => randomBytes(32);

/** The promises about proving passwords, by a clock that the test moves. */
export function loginStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let logins: LoginStore;
  beforeAll(async () => {
    opened = await adapter.open();
    logins = opened.storage.logins;
  });
  afterAll(() => opened.close());

  const at = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const admitted = async (account: Uint8Array, atMost = 2) => (await logins.count(account, atMost)).admitted;

  test('attempts are counted up to the limit, each account by itself', async () => {
    await at(0);
    const [account, other] = [anAccount(), anAccount()];
    expect(await logins.count(account, 2)).toEqual({
      account_hash: account,
      admitted: true,
      window_start: NOON,
      at: NOON,
    });
    expect([await admitted(account), await admitted(account), await admitted(account)]).toEqual([true, false, false]);
    expect(await admitted(other)).toBe(true);
  });

  test('a refusal returns the current window, which ends within a quarter of an hour', async () => {
    const account = anAccount();
    await at(20 * MINUTE);
    await admitted(account, 1);
    const refused = await logins.count(account, 1);
    expect(refused).toMatchObject({ admitted: false, at: new Date(NOON.getTime() + 20 * MINUTE) });
    expect(endOfWindow(refused.window_start, LOGIN.window)).toEqual(new Date(NOON.getTime() + 30 * MINUTE));
  });

  test('the next window opens to the millisecond, and a clock that jumps back opens none again', async () => {
    const account = anAccount();
    await at(0);
    expect([await admitted(account, 1), await admitted(account, 1)]).toEqual([true, false]);
    await at(15 * MINUTE - 1);
    expect(await admitted(account, 1)).toBe(false);
    await at(15 * MINUTE);
    expect([await admitted(account, 1), await admitted(account, 1)]).toEqual([true, false]);
    await at(-DAY);
    expect(await admitted(account, 1)).toBe(false);
  });

  test('an attempt that is taken back makes room for one more; refused attempts took none', async () => {
    await at(0);
    const account = anAccount();
    const [first] = [await logins.count(account, 2), await logins.count(account, 2), await logins.count(account, 2)];
    await logins.takeBack(first);
    expect([await admitted(account), await admitted(account)]).toEqual([true, false]);
  });

  test('taking an attempt back late, or twice, gives nothing to a later window', async () => {
    await at(0);
    const account = anAccount();
    const early = await logins.count(account, 1);
    await at(HOUR);
    await admitted(account, 1);
    await logins.takeBack(early);
    expect(await admitted(account, 1)).toBe(false);
    const stranger = { ...early, account_hash: anAccount() };
    await logins.takeBack(stranger);
    expect([await admitted(stranger.account_hash, 1), await admitted(stranger.account_hash, 1)]).toEqual([true, false]);
    const last = await logins.count(account, 2);
    for (let i = 0; i < 5; i += 1) await logins.takeBack(last);
    expect([await admitted(account, 1), await admitted(account, 1)]).toEqual([true, false]);
  });

  test('forgetting an account affects no other', async () => {
    await at(0);
    const [account, other] = [anAccount(), anAccount()];
    for (const each of [account, other]) await admitted(each, 1);
    await logins.forget(account);
    await logins.forget(anAccount());
    expect([await admitted(account, 1), await admitted(other, 1)]).toEqual([true, false]);
  });

  test('pruning removes windows that are over, and no other', async () => {
    await at(100 * DAY);
    await logins.prune();
    await at(0);
    const account = anAccount();
    await admitted(account, 1);
    await at(15 * MINUTE - 1);
    expect([await logins.prune(), await admitted(account, 1)]).toEqual([0, false]);
    await at(LOGIN.keep - 1);
    expect(await logins.prune()).toBe(0);
    await at(LOGIN.keep);
    expect([await logins.prune(), await logins.prune()]).toEqual([1, 0]);
  });

  test.each([HOUR, DAY])('a window may last %d ms', async (window) => {
    const account = anAccount();
    await at(0);
    const start = new Date(Math.floor(NOON.getTime() / window) * window);
    const first = await logins.count(account, 2, window);
    expect(first).toMatchObject({ admitted: true, window_start: start, at: NOON });
    await at(start.getTime() + window - 1 - NOON.getTime());
    expect((await logins.count(account, 2, window)).admitted).toBe(true);
    expect((await logins.count(account, 2, window)).admitted).toBe(false);
    await logins.takeBack(first);
    expect((await logins.count(account, 2, window)).admitted).toBe(true);
    await at(start.getTime() + window - NOON.getTime());
    expect((await logins.count(account, 1, window)).admitted).toBe(true);
  });

  test('of 20 attempts at once 10 are admitted', async () => {
    await at(0);
    expect(await admittedOf20(logins)).toBe(10);
  });

  test('a hash is confirmed while it is the owner’s, and changed only for a caller that knows it', async () => {
    const [owner, passwordless] = [anOwner({ password_hash: 'one' }), anOwner({ email: null, password_hash: null })];
    for (const each of [owner, passwordless]) await opened.storage.owners.add(each);
    expect([await logins.confirm(owner.owner_id, 'one'), await logins.confirm(owner.owner_id, 'two')]).toEqual([
      true,
      false,
    ]);
    expect(await logins.change(owner.owner_id, 'two', 'three')).toBe(false);
    expect(await logins.change(owner.owner_id, 'one', 'two')).toBe(true);
    expect(await opened.storage.owners.find(owner.owner_id)).toEqual({ ...owner, password_hash: 'two' });
    for (const { owner_id } of [passwordless, anOwner()]) {
      expect([await logins.confirm(owner_id, 'hash'), await logins.change(owner_id, 'hash', 'two')]).toEqual([
        false,
        false,
      ]);
    }
  });

  test('of 20 changes at once one is made', async () => {
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    const changed = await race(20, (worker) => logins.change(owner.owner_id, 'hash', `hash ${worker}`));
    expect(changed.filter(Boolean)).toHaveLength(1);
  });

  test('a change ends the sessions of a login that confirmed the old hash before it', async () => {
    expect(await survivesChange(opened.storage)).toBe(false);
  });
}

export async function admittedOf20(logins: LoginStore): Promise<number> {
  const account = anAccount();
  const counted = await race(20, () => logins.count(account, 10));
  return counted.filter(({ admitted }) => admitted).length;
}

/**
 * A login has confirmed the hash when the password is changed, and adds its session after that if it can; whether the
 * session is there in the end.
 */
export async function survivesChange({
  owners,
  sessions,
  transaction,
}: Pick<Storage, 'owners' | 'sessions' | 'transaction'>): Promise<boolean> {
  const owner = anOwner({ password_hash: 'old' });
  await owners.add(owner);
  const session = aSessionOf(owner);
  const confirmed = Promise.withResolvers<void>();
  const change = confirmed.promise.then(() =>
    transaction(async (own) => {
      await own.logins.change(owner.owner_id, 'old', 'new');
      await own.sessions.destroyOf(owner.owner_id, null);
    }),
  );
  await transaction(async (own) => {
    if (!(await own.logins.confirm(owner.owner_id, 'old'))) throw new Error('Nobody has changed it yet.');
    confirmed.resolve();
    await Promise.race([change, new Promise((resolve) => setTimeout(resolve, 100))]);
    await own.sessions.add(session);
  });
  await change;
  return sessions.destroy(session.session_hash);
}
