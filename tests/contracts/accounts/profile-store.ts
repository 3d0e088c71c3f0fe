import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { LegalAcceptance } from '../../../domain/accounts/profile.ts';
import { anOwner } from '../../builders/accounts.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

const ACCEPTED_AT = new Date('2026-03-02T12:00:00.123Z');

export function anAcceptance(changes: Partial<LegalAcceptance> = {}): LegalAcceptance {
  return { terms_version: '1.0', privacy_version: '2.0', source: 'test', accepted_at: ACCEPTED_AT, ...changes };
}

export const profileStoreContract: Contract = {
  name: 'profiles',
  promises(open) {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    async function added(): Promise<Owner> {
      const owner = anOwner();
      await opened.storage.owners.add(owner);
      return owner;
    }

    test('the last acceptance is returned as it was stored, to each owner their own', async () => {
      const [{ owner_id }, other] = [await added(), await added()];
      const { profiles } = opened.storage;
      expect(await profiles.lastAcceptance(owner_id)).toBeNull();
      expect(await profiles.accept(owner_id, anAcceptance())).toBe(true);
      expect(await profiles.lastAcceptance(owner_id)).toEqual(anAcceptance());
      expect(await profiles.lastAcceptance(other.owner_id)).toBeNull();
    });

    test('the last acceptance is the one that was stored last, whatever its time; two of one millisecond are two', async () => {
      const { owner_id } = await added();
      const { profiles } = opened.storage;
      const earlier = anAcceptance({ source: 'earlier', accepted_at: new Date(0) });
      for (const acceptance of [anAcceptance(), anAcceptance({ source: 'twin' }), earlier]) {
        expect(await profiles.accept(owner_id, acceptance)).toBe(true);
      }
      expect(await profiles.lastAcceptance(owner_id)).toEqual(earlier);
    });

    test('20 acceptances at the same millisecond are all stored', async () => {
      const { owner_id } = await added();
      const accepted = await race(20, () => opened.storage.profiles.accept(owner_id, anAcceptance()));
      expect(accepted).toEqual(Array(20).fill(true));
    });

    test('an owner who is gone accepts nothing and has no preferences', async () => {
      const { owner_id } = anOwner();
      const { profiles } = opened.storage;
      expect(await profiles.accept(owner_id, anAcceptance())).toBe(false);
      expect(await profiles.lastAcceptance(owner_id)).toBeNull();
      expect(await profiles.lockPreferences(owner_id)).toBeNull();
      await profiles.setPreferences(owner_id, { locale: 'de' });
      expect(await profiles.lockPreferences(owner_id)).toBeNull();
    });

    test('preferences are nothing at first, then what was set, whatever names they hold', async () => {
      const { owner_id } = await added();
      const { profiles } = opened.storage;
      expect(await profiles.lockPreferences(owner_id)).toEqual({});
      const set = { locale: 'de', notify: { constructor: { prototype: [1, null] }, '': 0.1, 'a b': { toString: 1 } } };
      await profiles.setPreferences(owner_id, set);
      expect(await profiles.lockPreferences(owner_id)).toEqual(set);
      await profiles.setPreferences(owner_id, {});
      expect(await profiles.lockPreferences(owner_id)).toEqual({});
    });

    test('of 20 merges at once none is lost', async () => {
      expect(await keptOf20Merges(opened.storage)).toBe(20);
    });
  },
};

/** 20 add a member each; how many there are in the end. */
export async function keptOf20Merges({
  owners,
  profiles,
  transaction,
}: Pick<Storage, 'owners' | 'profiles' | 'transaction'>): Promise<number> {
  const { owner_id, ...rest } = anOwner();
  await owners.add({ owner_id, ...rest });
  await race(20, (worker) =>
    transaction(async (own) => {
      const { notify } = (await own.profiles.lockPreferences(owner_id)) ?? {};
      await own.profiles.setPreferences(owner_id, { notify: { ...notify, [worker]: true } });
    }),
  );
  const { notify = {} } = (await profiles.lockPreferences(owner_id)) ?? {};
  return Object.keys(notify).length;
}
