import { describe, expect, test } from '@jest/globals';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { changeRole } from '../../../../application/accounts/operators/owner-changes.ts';
import type { Role } from '../../../../domain/caller.ts';
import { anOwner, aSessionOf } from '../../../builders/accounts.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');

async function known() {
  const storage = openMemory({ now: () => NOW });
  const owner = anOwner({ email: 'Ada@Example.com' });
  await storage.owners.add(owner);
  return { storage, owner, give: (named: string, role: Role) => changeRole(storage, named, role, 'command line') };
}

describe('a role', () => {
  test('is given by owner_id or by email, in any case', async () => {
    const { storage, owner, give } = await known();
    expect(await give('ada@EXAMPLE.com', 'admin')).toEqual({ owner, changed: true, sessions_ended: 0 });
    expect((await storage.owners.find(owner.owner_id))?.role).toBe('admin');
    expect((await give(owner.owner_id.toUpperCase(), 'owner')).changed).toBe(true);
    expect((await storage.owners.find(owner.owner_id))?.role).toBe('owner');
  });

  test('that the owner already has is reported as unchanged; every attempt is in the audit log, without the email', async () => {
    const { storage, owner, give } = await known();
    expect((await give(owner.owner_id, 'admin')).changed).toBe(true);
    expect((await give(owner.owner_id, 'admin')).changed).toBe(false);
    expect((await give(owner.owner_id, 'owner')).changed).toBe(true);
    const entry = { actor: 'command line', subject: owner.owner_id, at: NOW };
    expect(await storage.audit.about(owner.owner_id, 10)).toEqual([
      { ...entry, action: 'revoke_admin', detail: { changed: true } },
      { ...entry, action: 'grant_admin', detail: { changed: false } },
      { ...entry, action: 'grant_admin', detail: { changed: true } },
    ]);
  });

  test('ends the sessions of the owner when it is a rise, and not otherwise', async () => {
    const { storage, owner, give } = await known();
    const add = () => storage.sessions.add(aSessionOf(owner, { created_at: NOW }));
    const ended: number[] = [];
    for (const role of ['admin', 'admin', 'owner', 'admin'] as const) {
      await add();
      ended.push((await give(owner.owner_id, role)).sessions_ended);
    }
    expect(ended).toEqual([1, 0, 0, 3]);
  });

  test('is not given when its entry in the audit log fails', async () => {
    const { storage, owner } = await known();
    const fault = new Error('the log is full');
    const transaction: typeof storage.transaction = (work) =>
      storage.transaction((stores) =>
        work({ ...stores, audit: { ...stores.audit, append: () => Promise.reject(fault) } }),
      );
    const change = changeRole({ transaction }, owner.owner_id, 'admin', 'command line');
    await expect(change).rejects.toBe(fault);
    expect(await storage.owners.find(owner.owner_id)).toEqual(owner);
  });

  test.each(['nobody@example.com', anOwner().owner_id, 'Ada'])('NOT_FOUND for %s', async (named) => {
    const { give } = await known();
    await expect(give(named, 'admin')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
