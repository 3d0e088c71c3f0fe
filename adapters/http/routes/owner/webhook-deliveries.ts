import type { Ports } from '../../../../application/ports.ts';
import {
  listDeliveries,
  resendDelivery,
  resendFailed,
  testWebhook,
} from '../../../../application/webhooks/manage-webhooks.ts';
import { WEBHOOK } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  deliveryExample,
  deliveryInfo,
  deliveryInfoOf,
  deliveryPage,
  deliveryPath,
  deliveryQuery,
  resendFailedRequest,
  resentCount,
  webhookPath,
} from '../../shapes/events/webhooks.ts';

export function deliveryEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    testWebhookEndpoint(ports),
    listDeliveriesEndpoint(ports),
    resendDeliveryEndpoint(ports),
    resendFailedEndpoint(ports),
  ];
}

const tag = 'Webhooks';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ONE_WEBHOOK = '/api/v1/owner/webhooks/{webhook_id}';

type DeliveryPorts = Pick<Ports, 'deliveries' | 'logins' | 'settings' | 'wake'>;

const PER_HOUR = `At most ${WEBHOOK.testsPerHour} such requests an hour are accepted.`;

function testWebhookEndpoint(ports: DeliveryPorts) {
  return endpoint({
    id: 'testWebhook',
    method: 'POST',
    path: `${ONE_WEBHOOK}/test`,
    isAddition: true,
    summary: 'Send a test event',
    description:
      'Sends an event of the type `webhook.test` as any other one; a webhook that is not active sends it when it is started. ' +
      `Its delivery shows what the receiver answered. ${PER_HOUR}`,
    tag,
    grows: true,
    auth,
    params: webhookPath,
    replies: {
      202: {
        description: 'It is sent soon.',
        schema: deliveryInfo,
        example: { ...deliveryExample, event_type: 'webhook.test', attempts: [] },
      },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller: { owner_id }, params }) {
      return { status: 202, body: deliveryInfoOf(await testWebhook(ports, { owner_id, ...params })) };
    },
  });
}

function listDeliveriesEndpoint(ports: DeliveryPorts) {
  return endpoint({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: `${ONE_WEBHOOK}/deliveries`,
    isAddition: true,
    summary: 'List the deliveries of a webhook',
    description: `What was sent and is to be sent, the newest first, with the last attempts; of the last ${WEBHOOK.kept / DAY} days.`,
    tag,
    auth,
    params: webhookPath,
    query: deliveryQuery,
    replies: {
      200: {
        description: 'A page of deliveries.',
        schema: deliveryPage,
        example: { items: [deliveryExample], next_cursor: null },
      },
    },
    problems: ['NOT_FOUND'],
    async handle({ caller: { owner_id }, params, query }) {
      const { items, next_cursor } = await listDeliveries(ports, { owner_id, ...params }, query);
      return { status: 200, body: { items: items.map(deliveryInfoOf), next_cursor } };
    },
  });
}

function resendDeliveryEndpoint(ports: DeliveryPorts) {
  return endpoint({
    id: 'resendWebhookDelivery',
    method: 'POST',
    path: `${ONE_WEBHOOK}/deliveries/{delivery_id}/resend`,
    isAddition: true,
    summary: 'Send a delivery again',
    description: `Sends it now, also one that was delivered, with the same \`webhook-id\` and a new schedule. ${PER_HOUR}`,
    tag,
    grows: true,
    auth,
    params: deliveryPath,
    replies: { 202: { description: 'It is sent soon.', schema: deliveryInfo, example: deliveryExample } },
    problems: ['NOT_FOUND'],
    async handle({ caller: { owner_id }, params: { webhook_id, delivery_id } }) {
      const delivery = await resendDelivery(ports, { owner_id, webhook_id }, delivery_id);
      return { status: 202, body: deliveryInfoOf(delivery) };
    },
  });
}

function resendFailedEndpoint(ports: DeliveryPorts) {
  return endpoint({
    id: 'resendFailedDeliveries',
    method: 'POST',
    path: `${ONE_WEBHOOK}/resend-failed`,
    isAddition: true,
    summary: 'Send all failed deliveries again',
    description: `Sends the deliveries with the status \`failed\` again that are not older than \`since\`. ${PER_HOUR}`,
    tag,
    grows: true,
    auth,
    params: webhookPath,
    body: { schema: resendFailedRequest, example: { since: '2026-01-29T00:00:00Z' } },
    replies: { 202: { description: 'They are sent soon.', schema: resentCount, example: { resent: 12 } } },
    problems: ['NOT_FOUND'],
    async handle({ caller: { owner_id }, params, body: { since } }) {
      return { status: 202, body: { resent: await resendFailed(ports, { owner_id, ...params }, since) } };
    },
  });
}
