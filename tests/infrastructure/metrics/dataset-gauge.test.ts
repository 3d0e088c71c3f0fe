import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';

test('how long the public snapshot of the month has been due, where they are made', async () => {
  const now = new Date('2026-03-02T00:01:00Z');
  const storage = openMemory({ now: () => now });
  const dataSnapshots = { licence: 'CC0-1.0' };
  const text = () => createMetrics(storage, { dataSnapshots }).text();
  expect(await text()).toMatch(/^stancebook_data_snapshot_lag_seconds 86460$/m);
  await storage.datasets.make('2026-02', async () => []);
  expect(await text()).toMatch(/^stancebook_data_snapshot_lag_seconds 86460$/m);
  await storage.datasets.make('2026-03', async () => []);
  expect(await text()).toMatch(/^stancebook_data_snapshot_lag_seconds 0$/m);
  expect(await createMetrics(storage).text()).not.toContain('data_snapshot');
});
