import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OwnerAdministration } from '../../../domain/accounts/operators/owner-administration.ts';
import type { OwnerStore } from '../../../domain/accounts/owner.ts';
import { anAgentOf, anOwner } from '../../builders/accounts.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

export const ownerStoreContract: Contract = {
  name: 'owners',
  promises(open) {
    let opened: Opened;
    let owners: OwnerStore;
    let operators: OwnerAdministration;
    beforeAll(async () => {
      opened = await open();
      owners = opened.storage.owners;
      operators = opened.operators.ownerAdministration;
    });
    afterAll(() => opened.close());

    test('an owner is found as it was added, by id and by email in any case', async () => {
      const owner = anOwner({ email: 'Ada.Lovelace@Example.com' });
      expect(await owners.add(owner)).toBe(true);
      expect(await owners.find(owner.owner_id)).toEqual(owner);
      expect(await owners.findByEmail('ADA.lovelace@example.COM')).toEqual(owner);
    });

    test('nobody is found under an unknown id or email', async () => {
      expect(await owners.find(anOwner().owner_id)).toBeNull();
      expect(await owners.findByEmail('nobody@example.com')).toBeNull();
      expect(await owners.findByEmail('')).toBeNull();
    });

    test('an email that differs in case alone is taken', async () => {
      const first = anOwner({ email: 'case@example.com' });
      await owners.add(first);
      expect(await owners.add(anOwner({ email: 'CASE@example.com' }))).toBe(false);
      expect(await owners.findByEmail('case@example.com')).toEqual(first);
    });

    test('an owner_id that is taken is a fault, not a taken email', async () => {
      const first = anOwner();
      await owners.add(first);
      await expect(owners.add({ ...anOwner(), owner_id: first.owner_id })).rejects.toThrow();
      expect(await owners.find(first.owner_id)).toEqual(first);
    });

    test('any number of owners have no email', async () => {
      expect(await owners.add(anOwner({ email: null, password_hash: null }))).toBe(true);
      expect(await owners.add(anOwner({ email: null, password_hash: null }))).toBe(true);
    });

    test('owners are listed in the order of their ids, page by page, none twice', async () => {
      const added = ['a', 'b', 'c'].map((digit) =>
        anOwner({ owner_id: `0000000${digit}-0000-7000-8000-000000000000` }),
      );
      for (const owner of added.toReversed()) await owners.add(owner);
      expect(await owners.list(null, 2)).toEqual(added.slice(0, 2));
      expect(await owners.list(added[1]?.owner_id ?? '', 1)).toEqual(added.slice(2));
      expect(await owners.list('ffffffff-ffff-7fff-bfff-ffffffffffff', 10)).toEqual([]);
    });

    test('a role is given to that owner alone, and once', async () => {
      const [owner, other] = [anOwner(), anOwner()];
      await owners.add(owner);
      await owners.add(other);
      expect(await operators.setRole(owner.owner_id, 'admin')).toBe(true);
      expect(await operators.setRole(owner.owner_id, 'admin')).toBe(false);
      expect(await owners.find(owner.owner_id)).toEqual({ ...owner, role: 'admin' });
      expect(await owners.find(other.owner_id)).toEqual(other);
      expect(await operators.setRole(owner.owner_id, 'owner')).toBe(true);
      expect(await owners.find(owner.owner_id)).toEqual(owner);
      expect(await operators.setRole(anOwner().owner_id, 'admin')).toBe(false);
    });

    test('of 20 who give an owner a role at once, one changes it', async () => {
      const owner = anOwner();
      await owners.add(owner);
      const changed = await race(20, () => operators.setRole(owner.owner_id, 'admin'));
      expect(changed.filter(Boolean)).toHaveLength(1);
    });

    test('a tier is given to that owner alone, and once', async () => {
      const [owner, other] = [anOwner(), anOwner()];
      await owners.add(owner);
      await owners.add(other);
      expect(await operators.setTier(owner.owner_id, 'pro')).toBe(true);
      expect(await operators.setTier(owner.owner_id, 'pro')).toBe(false);
      expect(await owners.find(owner.owner_id)).toEqual({ ...owner, tier: 'pro' });
      expect(await owners.find(other.owner_id)).toEqual(other);
      expect(await operators.setTier(anOwner().owner_id, 'pro')).toBe(false);
    });

    test('an agent is found as it was added, for its owner alone', async () => {
      const [owner, stranger] = [anOwner(), anOwner()];
      await owners.add(owner);
      await owners.add(stranger);
      const agent = anAgentOf(owner);
      await owners.addAgent(agent, 10);
      expect(await owners.findAgent(owner.owner_id, agent.agent_id)).toEqual(agent);
      expect(await owners.findAgent(stranger.owner_id, agent.agent_id)).toBeNull();
      expect(await owners.findAgent(owner.owner_id, 'agt_000000000000')).toBeNull();
    });

    test('of 20 who register one email at once, one gets it', async () => {
      expect(await winnersOfOneEmail(owners)).toBe(1);
    });

    test('20 agents added at once stay within the limit', async () => {
      expect(await agentsWithinLimitOf3(owners)).toBe(3);
    });

    test('the agents of another owner do not count', async () => {
      const [one, other] = [anOwner(), anOwner()];
      await owners.add(one);
      await owners.add(other);
      expect(await owners.addAgent(anAgentOf(one), 1)).toBe(true);
      expect(await owners.addAgent(anAgentOf(other), 1)).toBe(true);
      expect(await owners.addAgent(anAgentOf(one), 1)).toBe(false);
    });

    test('an agent of nobody is refused', async () => {
      await expect(owners.addAgent(anAgentOf(anOwner()), 10)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    });
  },
};

export async function winnersOfOneEmail(owners: OwnerStore): Promise<number> {
  const email = anOwner().email;
  const won = await race(20, () => owners.add(anOwner({ email })));
  return won.filter(Boolean).length;
}

export async function agentsWithinLimitOf3(owners: OwnerStore): Promise<number> {
  const owner = anOwner();
  await owners.add(owner);
  const added = await race(20, () => owners.addAgent(anAgentOf(owner), 3));
  return added.filter(Boolean).length;
}
