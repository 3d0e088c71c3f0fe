import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { pruneExpired } from '../../../application/decisions/prune-expired.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { anOwner, aSessionOf } from '../../builders/accounts.ts';

test('sessions that are over are forgotten, open ones are not', async () => {
  const now = new Date('2026-03-02T12:00:00.000Z');
  const storage = openMemory({ now: () => now });
  const owner = anOwner();
  await storage.owners.add(owner);
  const sessionOf = (age: number) => aSessionOf(owner, { created_at: new Date(now.getTime() - age) });
  const [over, open] = [sessionOf(DAY), sessionOf(HOUR)];
  for (const session of [over, open]) await storage.sessions.add(session);
  await pruneExpired(storage);
  expect(await storage.sessions.destroy(over.session_hash)).toBe(false);
  expect(await storage.sessions.destroy(open.session_hash)).toBe(true);
});
