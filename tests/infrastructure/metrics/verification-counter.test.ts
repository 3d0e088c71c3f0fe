import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';

test('records that no source verified in time are counted, and announced all the same', async () => {
  const metrics = createMetrics(openMemory());
  const announced: unknown[] = [];
  const announce = metrics.countedUnverified((...about) => void announced.push(about));
  const wait = { rejected: 3, last_error: 'coinbase is down' };
  announce('crypto:BTC:COINBASE:spot:USD', wait);
  expect(announced).toEqual([['crypto:BTC:COINBASE:spot:USD', wait]]);
  expect(await metrics.text()).toContain('stancebook_unverified_records_total 3');
});
