import { expect, test } from '@jest/globals';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { ownerOfIdentity } from '../../../../application/accounts/provider/owner-of-identity.ts';

test('401 when the owner that a concurrent call created is removed before it is found', async () => {
  const { identities, clock } = openMemory();
  const removed = { ...identities, find: async () => null, addOwner: async () => false };
  const login = ownerOfIdentity({ identities: removed, clock }, { issuer: 'https://id.example.com', subject: 'ada' });
  await expect(login).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
});
