import { describe, expect, test } from '@jest/globals';
import { type DeliveryPorts, deliverWebhooks, makeSecret } from '../../../application/webhooks/deliver-webhooks.ts';
import type { WebhookResult } from '../../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery, DeliveryStore, FanOut } from '../../../domain/webhooks/delivery-store.ts';
import { aDelivery, aWebhook } from '../../builders/webhooks.ts';

const SESSION_SECRET = 'a secret of thirty-two characters';
const ACCEPTED: WebhookResult = { outcome: 'answered', status: 200, retryAfter: null };

function claimed(url: string): ClaimedDelivery {
  const { webhook_id, ...rest } = aWebhook({ url });
  const { sealed: secret } = makeSecret(SESSION_SECRET, webhook_id);
  return { webhook: { ...rest, webhook_id, secret }, delivery: aDelivery({ webhook_id }), token: 'a token' };
}

/** A store that makes deliveries and hands them out as the test says. */
function portsWith(store: Pick<DeliveryStore, 'fanOut' | 'claim'>, send: (url: string) => Promise<WebhookResult>) {
  const settled: string[] = [];
  const ports = {
    deliveries: {
      ...store,
      settle: async ({ webhook }: ClaimedDelivery) => settled.push(webhook.url) > 0,
      nextDue: async () => null,
    },
    webhookSender: { send: ({ url }: { readonly url: string }) => send(url) },
    clock: { now: async () => new Date() },
    settings: { sessionSecret: SESSION_SECRET },
    report: (error: unknown) => {
      throw error;
    },
  } as unknown as DeliveryPorts;
  return { ports, settled };
}

describe('what is due is sent', () => {
  test('while a slow receiver of another webhook has not answered', async () => {
    const other = Promise.withResolvers<WebhookResult>();
    const waiting = [[claimed('https://slow.example.com/')], [], [claimed('https://other.example.com/')]];
    const claim = async () => waiting.shift() ?? [];
    const { ports, settled } = portsWith({ fanOut: async () => 'done', claim }, (url) => {
      if (url.includes('other')) other.resolve(ACCEPTED);
      return other.promise;
    });
    expect(await deliverWebhooks(ports)).toBeNull();
    expect(settled.toSorted()).toEqual(['https://other.example.com/', 'https://slow.example.com/']);
  });

  test('while events become deliveries faster than they can be counted', async () => {
    const waiting = [[claimed('https://example.com/')]];
    let fanned: FanOut = 'moved';
    const claim = async () => waiting.shift() ?? [];
    const { ports, settled } = portsWith({ fanOut: async () => fanned, claim }, async () => {
      fanned = 'done';
      return ACCEPTED;
    });
    expect(await deliverWebhooks(ports)).toBeNull();
    expect(settled).toEqual(['https://example.com/']);
  });
});

test('a fault of one delivery stops no other one, and leaves it to the end of its lease', async () => {
  const waiting = [[claimed('https://broken.example.com/'), claimed('https://example.com/')]];
  const claim = async () => waiting.shift() ?? [];
  const reported: unknown[] = [];
  const fault = new Error('a fault of ours');
  const { ports, settled } = portsWith({ fanOut: async () => 'done', claim }, async (url) => {
    if (url.includes('broken')) throw fault;
    return ACCEPTED;
  });
  expect(await deliverWebhooks({ ...ports, report: (error) => void reported.push(error) })).toBeNull();
  expect(settled).toEqual(['https://example.com/']);
  expect(reported).toEqual([fault]);
});
