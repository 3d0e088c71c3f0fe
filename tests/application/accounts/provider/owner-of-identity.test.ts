import { expect, test } from '@jest/globals';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { ownerOfIdentity } from '../../../../application/accounts/provider/provider-login.ts';
import type { Stores } from '../../../../application/ports.ts';
import { A_CLIENT, ACCOUNT_SETTINGS } from '../../../builders/accounts.ts';

test('401 when the owner that a concurrent call created is removed before it is found', async () => {
  const { identities, transaction, ...storage } = openMemory();
  const removed = { ...identities, find: async () => null, addOwner: async () => false };
  const ports = {
    ...storage,
    ...ACCOUNT_SETTINGS,
    identities: removed,
    transaction: <T>(work: (stores: Stores) => Promise<T>) =>
      transaction((stores) => work({ ...stores, identities: removed })),
  };
  const login = ownerOfIdentity(ports, { issuer: 'https://id.example.com', subject: 'ada' }, A_CLIENT);
  await expect(login).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
});
