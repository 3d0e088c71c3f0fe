import { z } from 'zod';
import { SENT_EVENT_TYPES } from '../../../../domain/events/event.ts';
import { OWNER_ID } from '../../../../domain/identifiers.ts';
import { WEBHOOK, WEBHOOK_REQUEST } from '../../../../domain/limits.ts';
import { DAY } from '../../../../domain/time.ts';
import { ATTEMPT_FAILURES, DELIVERY_STATUSES, type Delivery } from '../../../../domain/webhooks/delivery.ts';
import { WEBHOOK_STATUSES, type Webhook } from '../../../../domain/webhooks/webhook.ts';
import { instant, timestamp } from '../../kit/input/query-values.ts';
import { descriptionText, filledText, membersOf, paged, pageOf } from '../texts.ts';

const id = () => z.string().regex(OWNER_ID, 'must be a UUID in lower case');

export const webhookPath = z.strictObject({ webhook_id: id().describe('As the list of webhooks names it.') });
export const deliveryPath = webhookPath.extend({
  delivery_id: id().describe('As the list of deliveries names it.'),
});

const eventType = z.enum(SENT_EVENT_TYPES).meta({ id: 'EventType' });
const url = filledText(WEBHOOK_REQUEST.urlLength).describe(
  'An https URL with a host of the public internet, without user name, fragment and redirects.',
);
const eventTypes = z
  .array(eventType)
  .min(1)
  .max(SENT_EVENT_TYPES.length)
  .transform((types) => SENT_EVENT_TYPES.filter((type) => types.includes(type)))
  .nullable()
  .describe('Only events of these types. `null`: of all, also of those that later versions add.');
const description = descriptionText(WEBHOOK.descriptionLength).describe('For your own list.');

export const createWebhookRequest = z
  .strictObject({ url, event_types: eventTypes.default(null), description: description.default('') })
  .meta({ id: 'CreateWebhookRequest' });

export const changeWebhookRequest = z
  .strictObject({
    url: url.optional(),
    event_types: eventTypes.optional(),
    description: description.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('`false` stops it; `true` starts it, also after it was paused or gone, with the events of meanwhile.'),
  })
  .refine((changes) => Object.values(changes).some((change) => change !== undefined), {
    error: 'must have url, event_types, description or enabled',
  })
  .meta({ id: 'ChangeWebhookRequest', minProperties: 1 });

const shown = {
  webhook_id: z.uuid(),
  url: z.string().max(WEBHOOK_REQUEST.urlLength),
  event_types: z.array(eventType).readonly().nullable().describe('`null`: all.'),
  description: z.string().max(WEBHOOK.descriptionLength),
  status: z
    .enum(WEBHOOK_STATUSES)
    .describe(
      '`disabled`: by you. `gone`: its receiver answered 410. `paused`: nothing but failures for ' +
        `${WEBHOOK.pauseAfter / DAY} days. Only \`active\` ones are sent events.`,
    ),
  created_at: instant(),
  failing_since: instant().nullable().describe('Since when every attempt failed; `null`: the last one succeeded.'),
  former_secret_until: instant().nullable().describe('Until when the secret before the last rotation signs too.'),
};

export const webhookInfo = z.strictObject(shown).meta({ id: 'Webhook' });

export const webhookSecret = z
  .strictObject({
    ...shown,
    secret: z
      .string()
      .max(100)
      .describe('`whsec_` and base64: it signs what is sent. It is shown only once: save it now.'),
  })
  .meta({ id: 'WebhookSecret' });

export const webhookList = pageOf(webhookInfo, 'WebhookPage');

export const webhookExample: z.input<typeof webhookInfo> = {
  webhook_id: '3f0c9a1e-5b7d-4c2a-9e61-0d8f7a6b5c43',
  url: 'https://example.com/webhooks',
  event_types: ['decision.evaluated'],
  description: 'Journal',
  status: 'active',
  created_at: new Date('2026-01-30T14:30:00.000Z'),
  failing_since: null,
  former_secret_until: null,
};

export const webhookSecretExample: z.input<typeof webhookSecret> = {
  ...webhookExample,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

export function webhookInfoOf(webhook: Webhook): z.input<typeof webhookInfo> {
  return membersOf(webhookInfo, { ...webhook, former_secret_until: webhook.former_until });
}

const attempt = z
  .strictObject({
    at: instant().describe('When it ended.'),
    status: z.int().min(100).max(999).nullable().describe('That of the reply; `null` without one.'),
    failure: z.enum(ATTEMPT_FAILURES).nullable().describe('Why there was no reply that counts; `null` with one.'),
  })
  .meta({ id: 'WebhookAttempt' });

export const deliveryInfo = z
  .strictObject({
    delivery_id: z.uuid(),
    event_id: z.uuid().describe('The `id` of the event, and the header `webhook-id` of every attempt.'),
    event_type: z.enum([...SENT_EVENT_TYPES, 'webhook.test']),
    status: z
      .enum(DELIVERY_STATUSES)
      .describe('`delivered`: answered with 200 to 299. `failed`: the last attempt of the schedule failed.'),
    attempts: z.array(attempt).readonly().describe(`The last ${WEBHOOK.attemptsShown}, the oldest first.`),
    next_attempt_at: instant().nullable().describe('Not before that; `null` unless it is `pending`.'),
    created_at: instant(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryQuery = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional().describe('Only deliveries with this status.'),
  ...paged('Deliveries'),
});

export const deliveryPage = pageOf(deliveryInfo, 'WebhookDeliveryPage');

export const resendFailedRequest = z
  .strictObject({ since: timestamp().describe('Those of events that became deliveries at or after this time.') })
  .meta({ id: 'ResendFailedRequest' });

export const resentCount = z.strictObject({ resent: z.int().min(0) }).meta({ id: 'ResentDeliveries' });

export const deliveryExample: z.input<typeof deliveryInfo> = {
  delivery_id: 'b1d7c3a5-2e4f-4a68-8c90-7f6e5d4c3b2a',
  event_id: '6f1c0a9d-2b7e-4853-9a41-0c5d3e7f1b28',
  event_type: 'decision.evaluated',
  status: 'pending',
  attempts: [{ at: new Date('2026-01-30T14:30:03.000Z'), status: 503, failure: null }],
  next_attempt_at: new Date('2026-01-30T14:30:08.000Z'),
  created_at: new Date('2026-01-30T14:30:02.000Z'),
};

export function deliveryInfoOf(delivery: Delivery): z.input<typeof deliveryInfo> {
  const { delivery_id, event, status, attempts, due_at, created_at } = delivery;
  const named = { delivery_id, event_id: event.id, event_type: event.type };
  return { ...named, status, attempts, next_attempt_at: due_at, created_at };
}
