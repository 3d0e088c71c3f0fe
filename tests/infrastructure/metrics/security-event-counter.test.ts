import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { aLoginOf } from '../../contracts/accounts/security-event-store.ts';

test('security events are counted by kind and result, those of a transaction once it is committed', async () => {
  const storage = openMemory();
  const metrics = createMetrics(storage);
  const { securityEvents, transaction } = metrics.countedSecurityEvents(storage);
  const figure = async (kind: string, result: string) =>
    Number(new RegExp(`events_total{kind="${kind}",result="${result}"} (\\d+)`).exec(await metrics.text())?.[1]);
  expect(await figure('lockout', 'failure')).toBe(0);
  await securityEvents.append(aLoginOf(null, { result: 'failure' }));
  await securityEvents.append(aLoginOf(null, { result: 'failure' }));
  await transaction((stores) => stores.securityEvents.append(aLoginOf(null)));
  const undone = transaction(async (stores) => {
    await stores.securityEvents.append(aLoginOf(null, { kind: 'logout' }));
    throw new Error('the work failed');
  });
  await expect(undone).rejects.toThrow('the work failed');
  expect([await figure('login', 'failure'), await figure('login', 'success')]).toEqual([2, 1]);
  expect(await figure('logout', 'success')).toBe(0);
  expect(await storage.securityEvents.list({}, null, 10)).toHaveLength(2);
});
