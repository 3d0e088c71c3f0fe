import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { MINUTE } from '../../../domain/time.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { anOwner } from '../../builders/accounts.ts';

test('erasures that are scheduled and under way, and how late the oldest is', async () => {
  let now = Date.parse('2026-03-02T12:00:00Z');
  const storage = openMemory({ now: () => new Date(now) });
  const [first, second] = [anOwner(), anOwner()];
  for (const owner of [first, second]) await storage.owners.add(owner);
  await storage.erasures.schedule(first.owner_id);
  now += ERASURE.grace + MINUTE;
  await storage.erasures.schedule(second.owner_id);
  const before = await createMetrics(storage).text();
  expect(before).toMatch(/^stancebook_erasure_lag_seconds 60$/m);
  await storage.erasures.remove(first.owner_id);
  const text = await createMetrics(storage).text();
  expect(text).toMatch(/^stancebook_erasures_scheduled 1$/m);
  expect(text).toMatch(/^stancebook_erasures_under_way 1$/m);
  expect(text).toMatch(/^stancebook_erasure_lag_seconds 0$/m);
  expect(text).toMatch(/^stancebook_erased_records 0$/m);
});
