import { expect, test } from '@jest/globals';
import { bcryptPasswords } from '../../../../adapters/identity/passwords.ts';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { quickSetup } from '../../../../application/accounts/sign-in/register-owner.ts';
import type { Storage } from '../../../../application/ports.ts';
import { A_CLIENT, ACCOUNT_SETTINGS } from '../../../builders/accounts.ts';

const passwords = bcryptPasswords({ pepper: 'pepper', cost: 4 });
const registration = { email: 'ada@example.com', password: 'four plain words, spaced' };

test('an account whose key cannot be issued stays, can log in, and has no agent without a key', async () => {
  const storage = openMemory();
  const cause = new Error('the second transaction is lost');
  let transactions = 0;
  const transaction: Storage['transaction'] = (work) =>
    storage.transaction(async (stores) => {
      transactions += 1;
      const result = await work(stores);
      if (transactions === 2) throw cause;
      return result;
    });
  const setup = quickSetup({ ...storage, transaction, passwords, ...ACCOUNT_SETTINGS }, registration, A_CLIENT);
  await expect(setup).rejects.toMatchObject({ code: 'KEY_ISSUANCE_FAILED', status: 500, cause });
  const owner = await storage.owners.findByEmail(registration.email);
  expect(await passwords.verify(registration.password, owner?.password_hash ?? null)).toBe(true);
  const agent = {
    agent_id: 'agt_000000000000',
    owner_id: owner?.owner_id ?? '',
    name: 'first',
    created_at: new Date(),
    archived_at: null,
  };
  expect(await storage.owners.addAgent(agent, 1)).toBe(true);
});

test('the agent gets a name even when none was sent', async () => {
  const { key } = await quickSetup({ ...openMemory(), passwords, ...ACCOUNT_SETTINGS }, registration, A_CLIENT);
  expect(key.label).toBe('First agent');
});
