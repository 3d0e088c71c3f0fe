import { EntitySchema } from 'typeorm';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { INSTANT } from './columns.ts';

export interface WebhookRow extends Webhook {
  /** The place in the feed up to which events are deliveries: its history, position and seq, the latter as digits. */
  readonly history: string;
  readonly position: string;
  readonly seq: string;
}

export const WEBHOOKS = new EntitySchema<WebhookRow>({
  name: 'webhook',
  tableName: 'webhooks',
  schema: 'app',
  columns: {
    webhook_id: { type: 'uuid', primary: true },
    owner_id: { type: 'uuid' },
    url: { type: 'text' },
    event_types: { type: 'text', array: true, nullable: true },
    description: { type: 'text' },
    status: { type: 'text', default: 'active' },
    failures: { type: 'integer', default: 0 },
    failing_since: { ...INSTANT, nullable: true, default: null },
    waits_until: { ...INSTANT, nullable: true, default: null },
    secret: { type: 'bytea' },
    former_secret: { type: 'bytea', nullable: true, default: null },
    former_until: { ...INSTANT, nullable: true, default: null },
    history: { type: 'text', select: false },
    position: { type: 'bigint', select: false },
    seq: { type: 'bigint', select: false },
    created_at: { ...INSTANT, default: () => 'app.now()' },
  },
});
