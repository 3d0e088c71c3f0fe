import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FactorStore } from '../../../domain/accounts/factors/factor.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { anOwner } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises of a store of second factors, by a clock that the test moves. */
export function factorStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let factors: FactorStore;
  beforeAll(async () => {
    opened = await adapter.open();
    factors = opened.storage.factors;
  });
  afterAll(() => opened.close());

  const after = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const plain = (bytes: Uint8Array | null | undefined) => bytes && Buffer.from(bytes).toString('hex');
  const totpOf = async (owner_id: string) => (await factors.of(owner_id)).totp;
  async function anOwnerId(): Promise<string> {
    await after(0);
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    return owner.owner_id;
  }
  /** An owner with a confirmed app, whose code of step 100 is used. */
  async function confirmed() {
    const [owner_id, secret] = [await anOwnerId(), randomBytes(60)];
    await factors.beginTotp(owner_id, secret);
    expect(await factors.confirmTotp(owner_id, secret, 100, MINUTE)).toBe(true);
    return { owner_id, secret };
  }
  const locked = (owner_id: string) => opened.storage.transaction((stores) => stores.factors.lock(owner_id));

  test('an owner has no app at first; one that is begun is none before its first code', async () => {
    const [owner_id, secret] = [await anOwnerId(), randomBytes(60)];
    expect(await factors.of(owner_id)).toEqual({ totp: null, passkeys: [] });
    await factors.beginTotp(owner_id, secret);
    expect(await totpOf(owner_id)).toMatchObject({ owner_id, secret: null, confirmed_at: null, pending_at: NOON });
    expect(await factors.useTotp(owner_id, secret, 1)).toBe(false);
    expect(await factors.removeTotp(owner_id)).toBe(false);
    expect(await totpOf(owner_id)).toBeNull();
  });

  test('its first code confirms it, once, and is used', async () => {
    const { owner_id, secret } = await confirmed();
    const { secret: stored, ...totp } = (await totpOf(owner_id)) ?? {};
    expect([plain(stored), totp]).toEqual([
      plain(secret),
      { owner_id, confirmed_at: NOON, last_step: 100, pending: null, pending_at: null },
    ]);
    expect(await factors.confirmTotp(owner_id, secret, 101, MINUTE)).toBe(false);
    expect(await factors.useTotp(owner_id, secret, 100)).toBe(false);
  });

  test('a new one leaves the former one as it is until its own first code, and then takes its place', async () => {
    const { owner_id, secret } = await confirmed();
    const [replaced, next] = [randomBytes(60), randomBytes(60)];
    await factors.beginTotp(owner_id, replaced);
    await factors.beginTotp(owner_id, next);
    expect(await factors.useTotp(owner_id, secret, 101)).toBe(true);
    expect(await factors.confirmTotp(owner_id, replaced, 102, MINUTE)).toBe(false);
    expect(await factors.confirmTotp(owner_id, next, 90, MINUTE)).toBe(true);
    expect(await factors.useTotp(owner_id, secret, 103)).toBe(false);
    expect(await factors.useTotp(owner_id, next, 91)).toBe(true);
  });

  test('one that is not confirmed in time stays none', async () => {
    const [owner_id, secret] = [await anOwnerId(), randomBytes(60)];
    await factors.beginTotp(owner_id, secret);
    await after(MINUTE);
    expect(await factors.confirmTotp(owner_id, secret, 1, MINUTE)).toBe(false);
    await after(MINUTE - 1);
    expect(await factors.confirmTotp(owner_id, secret, 1, MINUTE)).toBe(true);
  });

  test('a code is used once, and no code of an earlier step after it', async () => {
    const { owner_id, secret } = await confirmed();
    const other = await confirmed();
    expect(await factors.useTotp(owner_id, secret, 102)).toBe(true);
    expect([await factors.useTotp(owner_id, secret, 102), await factors.useTotp(owner_id, secret, 101)]).toEqual([
      false,
      false,
    ]);
    expect(await factors.useTotp(owner_id, other.secret, 103)).toBe(false);
    expect(await factors.useTotp(other.owner_id, other.secret, 102)).toBe(true);
    expect(await factors.useTotp(owner_id, secret, 103)).toBe(true);
  });

  test('of 20 who send one code at once, one is accepted', async () => {
    const { owner_id, secret } = await confirmed();
    expect(await acceptedAtOnce(() => factors.useTotp(owner_id, secret, 101))).toBe(1);
  });

  test('of 20 who confirm one app at once, one does', async () => {
    const [owner_id, secret] = [await anOwnerId(), randomBytes(60)];
    await factors.beginTotp(owner_id, secret);
    expect(await acceptedAtOnce(() => factors.confirmTotp(owner_id, secret, 1, MINUTE))).toBe(1);
  });

  test('a removed app accepts no code', async () => {
    const { owner_id, secret } = await confirmed();
    expect([await factors.removeTotp(owner_id), await factors.removeTotp(owner_id)]).toEqual([true, false]);
    expect(await factors.useTotp(owner_id, secret, 101)).toBe(false);
  });

  test('recovery codes are used once each, and by their owner alone', async () => {
    const [owner_id, other, [first, second]] = [await anOwnerId(), await anOwnerId(), hashes(2)];
    await factors.setRecoveryCodes(owner_id, [first, second]);
    expect(await factors.recoveryCodes(owner_id)).toBe(2);
    expect(await factors.useRecoveryCode(other, first)).toBe(false);
    expect([await factors.useRecoveryCode(owner_id, first), await factors.useRecoveryCode(owner_id, first)]).toEqual([
      true,
      false,
    ]);
    expect([await factors.recoveryCodes(owner_id), await factors.recoveryCodes(other)]).toEqual([1, 0]);
  });

  test('a new set replaces the former one', async () => {
    const [owner_id, [first, second]] = [await anOwnerId(), hashes(2)];
    await factors.setRecoveryCodes(owner_id, [first]);
    await factors.setRecoveryCodes(owner_id, [second]);
    expect([await factors.useRecoveryCode(owner_id, first), await factors.recoveryCodes(owner_id)]).toEqual([false, 1]);
    await factors.setRecoveryCodes(owner_id, []);
    expect(await factors.recoveryCodes(owner_id)).toBe(0);
  });

  test('of 20 who send one recovery code at once, one is accepted', async () => {
    const [owner_id, [code]] = [await anOwnerId(), hashes(2)];
    await factors.setRecoveryCodes(owner_id, [code]);
    expect(await acceptedAtOnce(() => factors.useRecoveryCode(owner_id, code))).toBe(1);
  });

  test('a use that is undone gives the code back', async () => {
    const { owner_id, secret } = await confirmed();
    const fault = new Error('the work failed');
    const work = opened.storage.transaction(async (stores) => {
      expect(await stores.factors.useTotp(owner_id, secret, 101)).toBe(true);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await factors.useTotp(owner_id, secret, 101)).toBe(true);
  });

  test('a reset removes everything of one owner', async () => {
    const [mine, other] = [await confirmed(), await confirmed()];
    for (const { owner_id } of [mine, other]) await factors.setRecoveryCodes(owner_id, hashes(2));
    expect([await factors.reset(mine.owner_id), await factors.reset(mine.owner_id)]).toEqual([true, false]);
    expect([await totpOf(mine.owner_id), await factors.recoveryCodes(mine.owner_id)]).toEqual([null, 0]);
    expect([(await totpOf(other.owner_id))?.last_step, await factors.recoveryCodes(other.owner_id)]).toEqual([100, 2]);
  });

  const request = (owner_id: string, wait = DAY) =>
    factors.requestReset({ owner_id, evidence: 'known_number', actor: 'ops' }, wait);

  test('a removal is requested once, is due after its wait, and is taken by one', async () => {
    const owner_id = await anOwnerId();
    expect(await factors.requestedReset(owner_id)).toBeNull();
    const due_at = new Date(NOON.getTime() + DAY);
    const expected = { owner_id, evidence: 'known_number', actor: 'ops', requested_at: NOON, due_at };
    expect([await request(owner_id), await request(owner_id)]).toEqual([expected, null]);
    expect(await factors.requestedReset(owner_id)).toEqual(expected);
    await after(DAY - 1);
    expect([await dueOf(owner_id), await factors.takeDueReset(owner_id)]).toEqual([[], null]);
    await after(DAY);
    expect(await dueOf(owner_id)).toEqual([expected]);
    expect([await factors.takeDueReset(owner_id), await factors.takeDueReset(owner_id)]).toEqual([expected, null]);
    expect(await factors.requestedReset(owner_id)).toBeNull();
  });

  test('a removal that is taken back is never due, and another can be requested', async () => {
    const owner_id = await anOwnerId();
    await request(owner_id);
    expect([await factors.cancelReset(owner_id), await factors.cancelReset(owner_id)]).toEqual([true, false]);
    await after(DAY);
    expect([await dueOf(owner_id), await factors.takeDueReset(owner_id)]).toEqual([[], null]);
    expect(await request(owner_id)).toMatchObject({ requested_at: new Date(NOON.getTime() + DAY) });
  });

  test('removals of one owner leave those of others, and those of a suspended owner wait', async () => {
    const [mine, other] = [await anOwnerId(), await anOwnerId()];
    for (const owner_id of [mine, other]) await request(owner_id, 1);
    expect(await factors.cancelReset(mine)).toBe(true);
    await after(DAY);
    expect((await factors.dueResets(1_000)).map(({ owner_id }) => owner_id)).toContain(other);
    await opened.operators.ownerAdministration.suspend(other);
    expect(await dueOf(other)).toEqual([]);
    await opened.operators.ownerAdministration.resume(other);
    expect(await dueOf(other)).toHaveLength(1);
  });

  test('the longest due come first, no more than asked for', async () => {
    const [later, sooner] = [await anOwnerId(), await anOwnerId()];
    await request(later, 2);
    await request(sooner, 1);
    await after(DAY);
    const due = (await factors.dueResets(1_000)).map(({ owner_id }) => owner_id);
    expect(due.indexOf(sooner)).toBeLessThan(due.indexOf(later));
    expect(await factors.dueResets(1)).toHaveLength(1);
  });

  test('of 20 who request, and of 20 who take back or do a removal at once, one does', async () => {
    const owner_id = await anOwnerId();
    expect(await acceptedAtOnce(async () => (await request(owner_id, 0)) !== null)).toBe(1);
    let turn = 0;
    const ending = async () => {
      turn += 1;
      return turn % 2 === 0 ? factors.cancelReset(owner_id) : (await factors.takeDueReset(owner_id)) !== null;
    };
    expect(await acceptedAtOnce(ending)).toBe(1);
  });

  const dueOf = async (owner: string) => (await factors.dueResets(1_000)).filter(({ owner_id }) => owner_id === owner);

  test('a lock is for an owner who is there and not suspended', async () => {
    const owner_id = await anOwnerId();
    await locked(owner_id);
    await opened.operators.ownerAdministration.suspend(owner_id);
    await expect(locked(owner_id)).rejects.toMatchObject({ code: 'ACCOUNT_SUSPENDED' });
    await expect(locked(anOwner().owner_id)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('factors end with their owner', async () => {
    const { owner_id } = await confirmed();
    await factors.setRecoveryCodes(owner_id, hashes(2));
    await request(owner_id);
    await after(DAY);
    await opened.operators.ownerAdministration.remove(owner_id);
    expect([await totpOf(owner_id), await factors.recoveryCodes(owner_id)]).toEqual([null, 0]);
    expect(await factors.requestedReset(owner_id)).toBeNull();
  });
}

/** How many of 20 attempts at once are accepted. */
export async function acceptedAtOnce(attempt: () => Promise<boolean>): Promise<number> {
  return (await race(20, attempt)).filter((isAccepted) => isAccepted).length;
}

function hashes(count: 2): readonly [Buffer, Buffer] {
  return [randomBytes(16 * count), randomBytes(16 * count)];
}
