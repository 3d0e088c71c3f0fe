import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stores } from '../../../application/ports.ts';
import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type { OwnerAdministration } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { HOUR } from '../../../domain/time.ts';
import { aKeyOf, anAgentOf, anIdentityOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { aLink } from '../../builders/mail.ts';
import { callerByKey, callerBySession } from '../../harness/known-callers.ts';
import { type AnyStorage, type Contract, type Opened, race } from '../adapters.ts';

const SUSPENDED = { code: 'ACCOUNT_SUSPENDED' };

export const suspensionContract: Contract = {
  name: 'suspended accounts',
  promises(open) {
    let opened: Opened;
    let storage: AnyStorage;
    let operators: OwnerAdministration;
    beforeAll(async () => {
      opened = await open();
      storage = opened.storage;
      operators = opened.operators.ownerAdministration;
    });
    afterAll(() => opened.close());

    const isValid = async (key: ApiKey) => (await callerByKey(storage.admission, key)) !== null;
    const suspendedAt = async ({ owner_id }: Owner) => (await storage.owners.find(owner_id))?.suspended_at;
    const successorOf = (owner: Owner) => {
      const { key_prefix, key_hash, created_at, expires_at } = aKeyOf(owner);
      return { key_prefix, key_hash, created_at, expires_at };
    };

    async function anAccount(changes: Partial<Owner> = {}) {
      const owner = anOwner(changes);
      await storage.owners.add(owner);
      const [first, second, revoked] = [aKeyOf(owner), aKeyOf(owner), aKeyOf(owner)];
      for (const key of [first, second, revoked]) await storage.apiKeys.add(key, 5);
      await storage.apiKeys.revoke(owner.owner_id, revoked.key_prefix);
      return { owner, first, second, revoked };
    }

    test('a suspension ends sessions and keys of that account at once, and is done once', async () => {
      const [{ owner, first, second }, { owner: other, first: foreign }] = [await anAccount(), await anAccount()];
      const [session, others] = [owner, other].map((each) => aSessionOf(each, { created_at: new Date() }));
      if (!session || !others) throw new Error('There are two sessions.');
      for (const each of [session, others]) await storage.sessions.add(each);
      const names = [first.key_prefix, second.key_prefix].toSorted();
      expect(await operators.suspend(owner.owner_id)).toEqual({ sessions_ended: 1, keys: names });
      expect([await isValid(first), await isValid(second), await isValid(foreign)]).toEqual([false, false, true]);
      expect(await callerBySession(storage.admission, session)).toBeNull();
      expect(await callerBySession(storage.admission, others)).not.toBeNull();
      expect([await suspendedAt(owner), await suspendedAt(other)]).toEqual([expect.any(Date), null]);
      expect(await operators.suspend(owner.owner_id)).toBeNull();
      expect(await operators.suspend(anOwner().owner_id)).toBeNull();
    });

    test('the end restores the keys that the suspension revoked, and no other', async () => {
      const { owner, first, second, revoked } = await anAccount();
      await operators.suspend(owner.owner_id);
      const names = [first.key_prefix, second.key_prefix].toSorted();
      expect(await operators.resume(owner.owner_id)).toEqual(names);
      expect([await isValid(first), await isValid(second), await isValid(revoked)]).toEqual([true, true, false]);
      expect(await suspendedAt(owner)).toBeNull();
      expect(await operators.resume(owner.owner_id)).toBeNull();
      expect(await operators.resume(anOwner().owner_id)).toBeNull();
      expect(await storage.apiKeys.revoke(owner.owner_id, first.key_prefix)).toBe(true);
      expect((await operators.suspend(owner.owner_id))?.keys).toEqual([second.key_prefix]);
      expect(await operators.resume(owner.owner_id)).toEqual([second.key_prefix]);
      expect([await isValid(first), await isValid(second)]).toEqual([false, true]);
    });

    test('meanwhile nothing is added, rotated or changed, and no session begins', async () => {
      const { owner, first } = await anAccount();
      const { owner_id } = owner;
      await operators.suspend(owner_id);
      await expect(storage.apiKeys.add(aKeyOf(owner), 50)).rejects.toMatchObject(SUSPENDED);
      await expect(storage.apiKeys.rotate(owner_id, first.key_prefix, successorOf(owner))).rejects.toMatchObject(
        SUSPENDED,
      );
      await expect(storage.owners.addAgent(anAgentOf(owner), 50)).rejects.toMatchObject(SUSPENDED);
      await expect(storage.sessions.add(aSessionOf(owner))).rejects.toMatchObject(SUSPENDED);
      expect(await storage.apiKeys.change(owner_id, first.key_prefix, { permission_mode: 'read_only' })).toBeNull();
      expect(await storage.apiKeys.revoke(owner_id, first.key_prefix)).toBe(false);
      expect(await storage.apiKeys.revokeAll(owner_id)).toEqual([]);
      expect(await storage.apiKeys.list(owner_id)).toEqual([]);
      expect(await storage.sessions.list(owner_id)).toEqual([]);
    });

    test('its identity proves no caller until the end of the suspension', async () => {
      const owner = anOwner({ email: null, password_hash: null });
      const identity = anIdentityOf(owner);
      await storage.identities.addOwner(identity, owner);
      const verdict = async () => {
        const proof = { credential: 'owner_bearer', identity } as const;
        const limits = { callerLimits: { per_second: 1_000, per_minute: 1_000 }, addressPerMinute: 1_000 };
        return (await storage.admission.admit({ proof, from: null, ...limits, address: 'a test', spend: null }))
          .verdict;
      };
      expect(await verdict()).toBe('admitted');
      await operators.suspend(owner.owner_id);
      expect(await verdict()).toBe('no_active_owner');
      expect(await storage.identities.find(identity)).toMatchObject({ suspended_at: expect.any(Date) });
      await operators.resume(owner.owner_id);
      expect(await verdict()).toBe('admitted');
    });

    test('of 20 who suspend one account at once, one does; of 20 who resume it, one', async () => {
      const { owner, first } = await anAccount();
      const suspended = await race(20, () => operators.suspend(owner.owner_id));
      expect(suspended.filter((ended) => ended !== null)).toHaveLength(1);
      const resumed = await race(20, () => operators.resume(owner.owner_id));
      expect(resumed.filter((keys) => keys !== null)).toHaveLength(1);
      expect(await isValid(first)).toBe(true);
    });

    test('what is added, rotated and begun in a race with a suspension is over with it', async () => {
      for (let round = 0; round < 5; round += 1) expect(await survivorsOfSuspension(opened)).toEqual([]);
    });

    test('a suspension that is undone ends nothing', async () => {
      const { owner, first } = await anAccount();
      const fault = new Error('the work failed');
      const work = opened.operators.transaction(async (stores) => {
        await stores.ownerAdministration.suspend(owner.owner_id);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect([await isValid(first), await suspendedAt(owner)]).toEqual([true, null]);
    });

    describe('by an admin, as the role of the service', () => {
      async function anAdmin() {
        const admin = anOwner();
        await storage.owners.add(admin);
        await operators.setRole(admin.owner_id, 'admin');
        return admin.owner_id;
      }
      /** As use cases do it: with the entry of the audit log. */
      const change = <T>(owner_id: string, action: string, actor: string, work: (stores: Stores) => Promise<T>) =>
        storage.transaction(async (stores) => {
          const result = await work(stores);
          await stores.audit.append({ actor, action, subject: owner_id, detail: {} });
          return result;
        });

      test('it suspends, resumes and sets the tier as commands do', async () => {
        const [{ owner, first, second, revoked }, admin] = [await anAccount(), await anAdmin()];
        const { owner_id } = owner;
        const names = [first.key_prefix, second.key_prefix].toSorted();
        const suspend = () =>
          change(owner_id, 'suspend_owner', admin, ({ accountControl }) => accountControl.suspend(owner_id, admin));
        const resume = () =>
          change(owner_id, 'resume_owner', admin, ({ accountControl }) => accountControl.resume(owner_id, admin));
        const tier = (name: 'free' | 'pro') =>
          change(owner_id, 'set_tier', admin, ({ accountControl }) => accountControl.setTier(owner_id, name, admin));
        expect(await suspend()).toEqual({ sessions_ended: 0, keys: names });
        expect(await suspend()).toBeNull();
        expect([await isValid(first), await isValid(second)]).toEqual([false, false]);
        expect(await resume()).toEqual(names);
        expect(await resume()).toBeNull();
        expect([await isValid(first), await isValid(second), await isValid(revoked)]).toEqual([true, true, false]);
        expect([await tier('pro'), await tier('pro'), await tier('free')]).toEqual([true, false, true]);
      });

      test('a suspension ends the one-time links of that account, and of no other', async () => {
        const [{ owner }, { owner: other }, admin] = [await anAccount(), await anAccount(), await anAdmin()];
        const { owner_id } = owner;
        const [link, confirm, foreign] = [
          aLink({ owner_id }),
          aLink({ owner_id, purpose: 'confirm' }),
          aLink({ owner_id: other.owner_id }),
        ];
        for (const each of [link, confirm, foreign]) await storage.links.put(each, HOUR);
        await change(owner_id, 'suspend_owner', admin, ({ accountControl }) => accountControl.suspend(owner_id, admin));
        const left = await Promise.all([
          storage.links.find(link.token_hash, 'reset'),
          storage.links.find(confirm.token_hash, 'confirm'),
          storage.links.redeem(link.token_hash, 'reset'),
          storage.links.find(foreign.token_hash, 'reset'),
        ]);
        expect(left).toEqual([null, null, null, expect.objectContaining({ owner_id: other.owner_id })]);
      });

      test('its end brings no key back while an erasure is scheduled; the keys return when that is taken back', async () => {
        const [{ owner, first, second, revoked }, admin] = [await anAccount(), await anAdmin()];
        const { owner_id } = owner;
        const names = [first.key_prefix, second.key_prefix].toSorted();
        await change(owner_id, 'suspend_owner', admin, ({ accountControl }) => accountControl.suspend(owner_id, admin));
        await storage.erasures.schedule(owner_id);
        const resumed = change(owner_id, 'resume_owner', admin, ({ accountControl }) =>
          accountControl.resume(owner_id, admin),
        );
        expect([await resumed, await suspendedAt(owner)]).toEqual([[], null]);
        expect([await isValid(first), await isValid(second)]).toEqual([false, false]);
        expect((await storage.erasures.takeBack(owner_id))?.toSorted()).toEqual(names);
        expect([await isValid(first), await isValid(second), await isValid(revoked)]).toEqual([true, true, false]);
      });

      test('it throws for the account of an admin, and by an owner, nobody and a suspended admin', async () => {
        const [{ owner, first }, admin, other] = [await anAccount(), await anAdmin(), await anAdmin()];
        const [suspended, plain] = [await anAdmin(), anOwner()];
        await storage.owners.add(plain);
        await operators.suspend(suspended);
        const pairs = [
          [other, admin],
          [admin, admin],
          [owner.owner_id, plain.owner_id],
          [owner.owner_id, anOwner().owner_id],
          [owner.owner_id, suspended],
        ] as const;
        for (const [account, actor] of pairs) {
          const works: readonly ((stores: Stores) => Promise<unknown>)[] = [
            ({ accountControl }) => accountControl.suspend(account, actor),
            ({ accountControl }) => accountControl.resume(account, actor),
            ({ accountControl }) => accountControl.setTier(account, 'pro', actor),
          ];
          for (const work of works) await expect(change(account, 'suspend_owner', actor, work)).rejects.toThrow();
        }
        expect([await isValid(first), await suspendedAt(owner)]).toEqual([true, null]);
      });

      test('of 20 at once one suspends', async () => {
        const [{ owner }, admin] = [await anAccount(), await anAdmin()];
        const { owner_id } = owner;
        const results = await race(20, () =>
          change(owner_id, 'suspend_owner', admin, ({ accountControl }) => accountControl.suspend(owner_id, admin)),
        );
        expect(results.filter((result) => result !== null)).toHaveLength(1);
      });
    });
  },
};

/** Keys and sessions are added, and keys rotated, while the account is suspended; what of it is valid afterwards. */
export async function survivorsOfSuspension({ storage, operators }: Opened): Promise<readonly string[]> {
  const owner = anOwner();
  const { owner_id } = owner;
  await storage.owners.add(owner);
  const key = aKeyOf(owner);
  await storage.apiKeys.add(key, 50);
  await race(12, async (worker) => {
    if (worker === 5) return void (await operators.ownerAdministration.suspend(owner_id));
    const { key_prefix, key_hash, created_at, expires_at } = aKeyOf(owner);
    await (worker % 3 === 0
      ? storage.apiKeys.rotate(owner_id, key.key_prefix, { key_prefix, key_hash, created_at, expires_at })
      : worker % 3 === 1
        ? storage.apiKeys.add(aKeyOf(owner), 50)
        : storage.sessions.add(aSessionOf(owner, { created_at: new Date() }))
    ).catch((fault: { code?: string }) => {
      if (fault.code !== SUSPENDED.code) throw fault;
    });
  });
  const keys = (await storage.apiKeys.list(owner_id)).map(({ key_prefix }) => key_prefix);
  const sessions = (await storage.sessions.list(owner_id)).map(() => 'session');
  return [...keys, ...sessions];
}
