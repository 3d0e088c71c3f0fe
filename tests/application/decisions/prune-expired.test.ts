import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { pruneExpired } from '../../../application/decisions/prune-expired.ts';
import { EVENTS } from '../../../domain/limits.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aKeyOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { aProviderLogin } from '../../contracts/accounts/provider-login-store.ts';
import { aLoginOf } from '../../contracts/accounts/security-event-store.ts';

const SETTINGS = { securityEventsKept: 180 * DAY, sessionSecret: 's'.repeat(32) };

test('sessions that are over are forgotten, open ones are not', async () => {
  const now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const owner = anOwner();
  await storage.owners.add(owner);
  const sessionOf = (age: number) => aSessionOf(owner, { created_at: new Date(now.getTime() - age) });
  const [over, open] = [sessionOf(DAY), sessionOf(HOUR)];
  for (const session of [over, open]) await storage.sessions.add(session);
  await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  expect(await storage.sessions.destroy(over.session_hash)).toBe(false);
  expect(await storage.sessions.destroy(open.session_hash)).toBe(true);
});

test('rate windows that are over are forgotten in the second run after an hour, and never reopen', async () => {
  let now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const callerLimits = { per_second: 1, per_minute: 1 };
  const request = {
    proof: null,
    from: null,
    callerLimits,
    address: 'address 192.0.2.1',
    addressPerMinute: 1,
    spend: null,
  };
  const verdict = async () => (await storage.admission.admit(request)).verdict;
  expect([await verdict(), await verdict()]).toEqual(['admitted', 'rate']);
  for (const hours of [2, 3]) {
    now = new Date(Date.UTC(2026, 2, 2, 12 + hours));
    await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  }
  now = new Date('2026-03-02T12:00:00.000Z');
  // Counts at the time of a forgotten window.
  const again = await storage.admission.admit(request);
  expect(again).toMatchObject({ verdict: 'admitted', rate: { reset: new Date('2026-03-02T14:01:00.000Z') } });
});

test('abandoned logins through the provider are forgotten, those under way are not', async () => {
  const now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const login = (age: number) => aProviderLogin({ created_at: new Date(now.getTime() - age) });
  const [stale, underWay] = [login(HOUR), login(0)];
  for (const each of [stale, underWay]) await storage.providerLogins.add(each);
  await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  expect(await storage.providerLogins.prune()).toBe(0);
  expect(await storage.providerLogins.take(underWay.state_hash, underWay.browser_hash)).toEqual(underWay);
});

test('security events are forgotten after the time for which they are kept', async () => {
  let now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  await storage.securityEvents.append(aLoginOf(null));
  now = new Date(now.getTime() + 180 * DAY - 1);
  await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  expect(await storage.securityEvents.list({}, null, 10)).toHaveLength(1);
  now = new Date(now.getTime() + 1);
  await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  expect(await storage.securityEvents.list({}, null, 10)).toEqual([]);
});

test('keys that expire soon have their event, also those of more than one transaction', async () => {
  const now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const owner = anOwner();
  await storage.owners.add(owner);
  const count = EVENTS.keysAtOnce + 1;
  const expires_at = new Date(now.getTime() + DAY);
  for (let each = 0; each < count; each += 1) await storage.apiKeys.add(aKeyOf(owner, { expires_at }), count);
  await pruneExpired({ ...storage, mailSender: null, settings: SETTINGS });
  expect((await storage.events.page(owner, null, 2 * count)).events).toHaveLength(count);
});

test('a step that fails stops no other, and each that failed is named', async () => {
  const now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const owner = anOwner();
  await storage.owners.add(owner);
  const over = aSessionOf(owner, { created_at: new Date(now.getTime() - DAY) });
  await storage.sessions.add(over);
  const [first, last] = [new Error('no month'), new Error('no replies')];
  const months = { ...storage.months, addMissing: () => Promise.reject(first) };
  const replies = { ...storage.replies, prune: () => Promise.reject(last) };
  await expect(
    pruneExpired({ ...storage, months, replies, mailSender: null, settings: SETTINGS }),
  ).rejects.toMatchObject({
    message: 'Failed: months, replies.',
    errors: [
      { name: 'StepFault', code: 'months', cause: first },
      { name: 'StepFault', code: 'replies', cause: last },
    ],
  });
  expect(await storage.sessions.destroy(over.session_hash)).toBe(false);
});
