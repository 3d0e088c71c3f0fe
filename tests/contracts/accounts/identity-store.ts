import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Identity, IdentityStore } from '../../../domain/accounts/provider/identity-provider.ts';
import { anOwner } from '../../builders/accounts.ts';
import { type Contract, type Opened, race } from '../adapters.ts';

export const identityStoreContract: Contract = {
  name: 'identities',
  promises(open) {
    let opened: Opened;
    let identities: IdentityStore;
    beforeAll(async () => {
      opened = await open();
      identities = opened.storage.identities;
    });
    afterAll(() => opened.close());

    test('an identity is found with its owner as the owner is at this moment', async () => {
      const [identity, owner] = [anIdentity(), withoutPassword()];
      expect(await identities.find(identity)).toBeNull();
      expect(await identities.addOwner(identity, owner)).toBe(true);
      expect(await identities.find(identity)).toEqual(owner);
      expect(await opened.storage.owners.find(owner.owner_id)).toEqual(owner);
      await opened.operators.ownerAdministration.setRole(owner.owner_id, 'admin');
      expect(await identities.find(identity)).toEqual({ ...owner, role: 'admin' });
    });

    test('the issuer and the subject both count, letter by letter', async () => {
      const identity = anIdentity();
      await identities.addOwner(identity, withoutPassword());
      for (const other of [
        { ...identity, issuer: `${identity.issuer}/` },
        { ...identity, subject: identity.subject.toUpperCase() },
        { ...identity, subject: `${identity.subject} ` },
        { issuer: identity.subject, subject: identity.issuer },
      ]) {
        expect(await identities.find(other)).toBeNull();
      }
    });

    test('no two pairs run together', async () => {
      const [one, other] = [withoutPassword(), withoutPassword()];
      const name = anIdentity().subject;
      expect(await identities.addOwner({ issuer: `${name}","`, subject: 'x' }, one)).toBe(true);
      expect(await identities.addOwner({ issuer: name, subject: '","x' }, other)).toBe(true);
    });

    test('a known identity keeps its owner, and the other is not made', async () => {
      const [identity, first, second] = [anIdentity(), withoutPassword(), withoutPassword()];
      await identities.addOwner(identity, first);
      expect(await identities.addOwner(identity, second)).toBe(false);
      expect(await identities.find(identity)).toEqual(first);
      expect(await opened.storage.owners.find(second.owner_id)).toBeNull();
    });

    test('an owner with an email of ours is refused: nobody is linked by an address', async () => {
      const identity = anIdentity();
      await expect(identities.addOwner(identity, anOwner())).rejects.toThrow();
      expect(await identities.find(identity)).toBeNull();
    });

    test('an owner who is there already is refused, and the identity stays unknown', async () => {
      const [identity, owner] = [anIdentity(), withoutPassword()];
      await opened.storage.owners.add(owner);
      await expect(identities.addOwner(identity, owner)).rejects.toThrow();
      expect(await identities.find(identity)).toBeNull();
    });

    test('of 20 who see an identity for the first time at once, one makes its owner', async () => {
      expect(await ownersMadeAtOnce(identities)).toBe(1);
    });

    test('what a transaction that fails has made is gone, both parts', async () => {
      const [identity, owner, fault] = [anIdentity(), withoutPassword(), new Error('the work failed')];
      const work = opened.storage.transaction(async (stores) => {
        await stores.identities.addOwner(identity, owner);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await identities.find(identity)).toBeNull();
      expect(await opened.storage.owners.find(owner.owner_id)).toBeNull();
    });
  },
};

/** How many owners 20 callers make who each bring one of their own for the same identity. */
export async function ownersMadeAtOnce(identities: IdentityStore): Promise<number> {
  const identity = anIdentity();
  const made = await race(20, () => identities.addOwner(identity, withoutPassword()));
  return made.filter(Boolean).length;
}

function anIdentity(): Identity {
  return { issuer: 'https://provider.test', subject: `s-${randomBytes(6).toString('hex')}` };
}

function withoutPassword(): Owner {
  return anOwner({ email: null, password_hash: null });
}
