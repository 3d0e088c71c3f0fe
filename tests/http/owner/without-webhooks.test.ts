import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliverWebhooks } from '../../../application/webhooks/deliver-webhooks.ts';
import { anOwnerWithAgent } from '../../harness/owners.ts';
import { openService, type TestService } from '../../harness/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openService('memory', {
    at: new Date('2017-06-05T12:00:00.000Z'),
    ports: () => ({ webhookSender: null }),
  });
});
afterAll(() => service.close());

test('a service without a sender of webhooks has no webhooks, and is otherwise as it was', async () => {
  const owner = await anOwnerWithAgent(service);
  expect((await owner.get('/webhooks')).status).toBe(404);
  expect((await owner.get('/events')).status).toBe(200);
  expect(await deliverWebhooks(service.ports)).toBeNull();
  await service.settle();
});
