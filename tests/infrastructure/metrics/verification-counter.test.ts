import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';

test('records that no source verified in time are counted, and announced all the same', async () => {
  const metrics = createMetrics(openMemory());
  const announced: unknown[] = [];
  const announce = metrics.countedUnverified((...about) => void announced.push(about));
  announce('crypto:BTC:COINBASE:spot:USD', 3);
  expect(announced).toEqual([['crypto:BTC:COINBASE:spot:USD', 3]]);
  expect(await metrics.text()).toContain('stancebook_unverified_records_total 3');
});
