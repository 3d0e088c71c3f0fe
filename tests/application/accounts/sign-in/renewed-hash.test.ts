import { describe, expect, test } from '@jest/globals';
import { oneTimeCodes } from '../../../../adapters/identity/factors.ts';
import { bcryptPasswords } from '../../../../adapters/identity/passwords.ts';
import { openMemory } from '../../../../adapters/memory/storage.ts';
import { logIn } from '../../../../application/accounts/sign-in/log-in.ts';
import { A_SOURCE, ACCOUNT_SETTINGS, anOwner } from '../../../builders/accounts.ts';

const PASSWORD = 'four plain words';
const FORMER = bcryptPasswords({ pepper: 'first', cost: 4 });
const CLIENT = { network: '192.0.2.1', source: A_SOURCE, session: undefined, device: undefined };

describe('a login by a hash of a former pepper', () => {
  async function opened() {
    const storage = openMemory();
    const owner = anOwner({ password_hash: await FORMER.hash(PASSWORD) });
    await storage.owners.add(owner);
    const passwords = bcryptPasswords({ pepper: 'second', formerPeppers: ['first'], cost: 4 });
    const ports = { ...storage, passwords, oneTimeCodes: oneTimeCodes(), ...ACCOUNT_SETTINGS };
    const hash = async () => (await storage.owners.find(owner.owner_id))?.password_hash ?? '';
    const enter = (password = PASSWORD) => logIn(ports, { email: owner.email ?? '', password }, CLIENT);
    return { ports, hash, enter };
  }

  test('replaces it, so that the former pepper is needed no more', async () => {
    const { ports, hash, enter } = await opened();
    await enter();
    const renewed = await hash();
    expect(ports.passwords.isOutdated(renewed)).toBe(false);
    expect(await bcryptPasswords({ pepper: 'second', cost: 4 }).verify(PASSWORD, renewed)).toBe(true);
    await enter();
    expect(await hash()).toBe(renewed);
  });

  test('leaves it after a wrong password', async () => {
    const { hash, enter } = await opened();
    const before = await hash();
    await expect(enter('another one')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(await hash()).toBe(before);
  });

  test('succeeds while other logins replace it', async () => {
    const { enter } = await opened();
    const logins = await Promise.allSettled(Array.from({ length: 5 }, () => enter()));
    expect(logins.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
  });

  test('succeeds where there is no place for the new hash', async () => {
    const { ports, hash, enter } = await opened();
    const before = await hash();
    Object.assign(ports.passwords, { hash: () => Promise.reject(new Error('The queue is full.')) });
    expect(await enter()).toMatchObject({ session_id: expect.any(String) });
    expect(await hash()).toBe(before);
  });
});
