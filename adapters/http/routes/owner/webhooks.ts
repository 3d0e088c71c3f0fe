import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import type { Ports } from '../../../../application/ports.ts';
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listDeliveries,
  removeWebhook,
  resendDelivery,
  resendFailed,
  rotateWebhookSecret,
  testWebhook,
} from '../../../../application/webhooks/manage-webhooks.ts';
import { WEBHOOK } from '../../../../domain/limits.ts';
import { DAY, HOUR } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  changeWebhookRequest,
  createWebhookRequest,
  deliveryExample,
  deliveryInfo,
  deliveryInfoOf,
  deliveryPage,
  deliveryPath,
  deliveryQuery,
  resendFailedRequest,
  resentCount,
  webhookExample,
  webhookInfo,
  webhookInfoOf,
  webhookList,
  webhookPath,
  webhookSecret,
  webhookSecretExample,
} from '../../shapes/events/webhooks.ts';

export function webhookEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    listWebhooksEndpoint(ports),
    createWebhookEndpoint(ports),
    readWebhookEndpoint(ports),
    changeWebhookEndpoint(ports),
    removeWebhookEndpoint(ports),
    rotateWebhookSecretEndpoint(ports),
    ...deliveryEndpoints(ports),
  ];
}

const tag = 'Webhooks';
const auth = ['owner_bearer', 'legacy_session'] as const;
const ALL_WEBHOOKS = '/api/v1/owner/webhooks';
const ONE_WEBHOOK = `${ALL_WEBHOOKS}/{webhook_id}` as const;

type WebhookPorts = Pick<Ports, 'webhooks' | 'transaction' | 'settings' | 'wake' | 'identityProvider' | 'clock'>;

const RECENTLY = 'a recent login: otherwise the reply is REAUTHENTICATION_REQUIRED.';

function listWebhooksEndpoint({ webhooks }: WebhookPorts) {
  return endpoint({
    id: 'listWebhooks',
    method: 'GET',
    path: ALL_WEBHOOKS,
    isAddition: true,
    summary: 'List your webhooks',
    description: 'Lists your webhooks, the oldest first, without their secrets.',
    tag,
    auth,
    replies: {
      200: {
        description: 'All webhooks: `next_cursor` is always null.',
        schema: webhookList,
        example: { items: [webhookExample], next_cursor: null },
      },
    },
    problems: [],
    async handle({ caller }) {
      const items = (await webhooks.list(caller.owner_id)).map(webhookInfoOf);
      return { status: 200, body: { items, next_cursor: null } };
    },
  });
}

function createWebhookEndpoint(ports: WebhookPorts) {
  return endpoint({
    id: 'createWebhook',
    method: 'POST',
    path: ALL_WEBHOOKS,
    isAddition: true,
    summary: 'Create a webhook',
    description:
      'From now on each event of GET /api/v1/owner/events is sent to the URL with POST, signed by Standard Webhooks 1.0, ' +
      `at least once. An account holds ${WEBHOOK.perOwner}: another one is 429 TIER_LIMIT_REACHED. It needs ${RECENTLY}`,
    tag,
    grows: true,
    auth,
    body: { schema: createWebhookRequest, example: { url: webhookExample.url, event_types: ['decision.evaluated'] } },
    replies: {
      201: { description: 'The webhook, with its secret.', schema: webhookSecret, example: webhookSecretExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'TIER_LIMIT_REACHED', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, credential, network, source, body }) {
      const confirmLogin = await recentLoginBy(ports, credential);
      const { webhook, secret } = await createWebhook(ports, { owner_id, network, source, confirmLogin }, body);
      return { status: 201, body: { ...webhookInfoOf(webhook), secret } };
    },
  });
}

function readWebhookEndpoint(ports: WebhookPorts) {
  return endpoint({
    id: 'readWebhook',
    method: 'GET',
    path: ONE_WEBHOOK,
    isAddition: true,
    summary: 'Read one of your webhooks',
    description: 'Returns the webhook without its secret.',
    tag,
    auth,
    params: webhookPath,
    replies: { 200: { description: 'The webhook.', schema: webhookInfo, example: webhookExample } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      return { status: 200, body: webhookInfoOf(await findWebhook(ports, caller.owner_id, params.webhook_id)) };
    },
  });
}

function changeWebhookEndpoint(ports: WebhookPorts) {
  return endpoint({
    id: 'changeWebhook',
    method: 'PATCH',
    path: ONE_WEBHOOK,
    isAddition: true,
    summary: 'Change, stop or start a webhook',
    description:
      `Omitted members stay as they are. Another \`url\` needs ${RECENTLY} A webhook that is started goes on with the event ` +
      'after the last one that became a delivery, of the last 30 days.',
    tag,
    auth,
    params: webhookPath,
    body: { schema: changeWebhookRequest, example: { enabled: true } },
    replies: { 200: { description: 'The webhook as it is now.', schema: webhookInfo, example: webhookExample } },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, credential, network, source, params, body: { enabled, ...changes } }) {
      const action = { owner_id, network, source, confirmLogin: await recentLoginBy(ports, credential) };
      const status = enabled === undefined ? undefined : enabled ? 'active' : 'disabled';
      const webhook = await changeWebhook(ports, action, params.webhook_id, { ...changes, status });
      return { status: 200, body: webhookInfoOf(webhook) };
    },
  });
}

function removeWebhookEndpoint(ports: WebhookPorts) {
  return endpoint({
    id: 'removeWebhook',
    method: 'DELETE',
    path: ONE_WEBHOOK,
    isAddition: true,
    summary: 'Remove a webhook',
    description: 'Removes the webhook and its deliveries for good. A request that is under way may still arrive.',
    tag,
    auth,
    params: webhookPath,
    replies: { 204: { description: 'It is removed.' } },
    problems: ['NOT_FOUND'],
    async handle({ caller: { owner_id }, source, params }) {
      await removeWebhook(ports, { owner_id, source }, params.webhook_id);
      return { status: 204 };
    },
  });
}

function rotateWebhookSecretEndpoint(ports: WebhookPorts) {
  return endpoint({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${ONE_WEBHOOK}/rotate-secret`,
    isAddition: true,
    summary: "Rotate a webhook's secret",
    description:
      `Makes a new secret. For ${WEBHOOK.secretOverlap / HOUR} hours the former one signs too: \`webhook-signature\` then has ` +
      `both signatures. It needs ${RECENTLY}`,
    tag,
    auth,
    params: webhookPath,
    replies: {
      200: { description: 'The webhook, with its new secret.', schema: webhookSecret, example: webhookSecretExample },
    },
    problems: ['REAUTHENTICATION_REQUIRED', 'NOT_FOUND', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id }, credential, network, source, params }) {
      const action = { owner_id, network, source, confirmLogin: await recentLoginBy(ports, credential) };
      const { webhook, secret } = await rotateWebhookSecret(ports, action, params.webhook_id);
      return { status: 200, body: { ...webhookInfoOf(webhook), secret } };
    },
  });
}

function deliveryEndpoints(ports: Ports): readonly Endpoint[] {
  return [
    testWebhookEndpoint(ports),
    listDeliveriesEndpoint(ports),
    resendDeliveryEndpoint(ports),
    resendFailedEndpoint(ports),
  ];
}

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
