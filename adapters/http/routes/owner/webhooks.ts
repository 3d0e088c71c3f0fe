import { recentLoginBy } from '../../../../application/accounts/sign-in/recent-login.ts';
import type { Ports } from '../../../../application/ports.ts';
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from '../../../../application/webhooks/manage-webhooks.ts';
import { WEBHOOK } from '../../../../domain/limits.ts';
import { HOUR } from '../../../../domain/time.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  changeWebhookRequest,
  createWebhookRequest,
  webhookExample,
  webhookInfo,
  webhookInfoOf,
  webhookList,
  webhookPath,
  webhookSecret,
  webhookSecretExample,
} from '../../shapes/events/webhooks.ts';
import { deliveryEndpoints } from './webhook-deliveries.ts';

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
