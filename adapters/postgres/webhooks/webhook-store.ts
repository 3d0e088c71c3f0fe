import { HEALTHY, type Webhook } from '../../../domain/webhooks/webhook.ts';
import type { WebhookStore } from '../../../domain/webhooks/webhook-store.ts';
import { lockOwner } from '../accounts/owner-store.ts';
import { WEBHOOKS } from '../entities/webhooks.ts';
import { FEED_HISTORY, HORIZON } from '../events/event-rows.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';
import { WEBHOOK_COLUMNS } from './rows.ts';

export function postgresWebhooks(sql: Sql): WebhookStore {
  const find = (on: Sql, owner_id: string, webhook_id: string): Promise<Webhook | null> =>
    on.tables.findOneBy(WEBHOOKS, { owner_id, webhook_id });
  return {
    add: ({ webhook_id, owner_id, url, event_types, description, secret }, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, owner_id);
        const values = [webhook_id, owner_id, url, event_types, description, secret, atMost];
        return (await own.rows<Webhook>(ADD, values))[0] ?? null;
      }),

    list: (owner_id): Promise<Webhook[]> =>
      sql.tables.find(WEBHOOKS, { where: { owner_id }, order: { created_at: 'asc', webhook_id: 'asc' } }),

    find: (owner_id, webhook_id) => find(sql, owner_id, webhook_id),

    change: (owner_id, webhook_id, { status, ...changes }) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK, [owner_id, webhook_id])).length === 0) return null;
        const health = status === 'active' ? HEALTHY : status && { status };
        const set = Object.entries({ ...changes, ...health }).filter(([, value]) => value !== undefined);
        if (set.length > 0) await own.tables.update(WEBHOOKS, { webhook_id }, Object.fromEntries(set));
        if (status === 'active') await own.rows(DUE_NOW, [webhook_id]);
        return find(own, owner_id, webhook_id);
      }),

    async replaceSecret(owner_id, webhook_id, secret, overlap) {
      const [webhook] = await sql.rows<Webhook>(REPLACE, [owner_id, webhook_id, secret, interval(overlap)]);
      return webhook ?? null;
    },

    async remove(owner_id, webhook_id) {
      const [webhook] = await sql.rows<Webhook>(REMOVE, [owner_id, webhook_id]);
      return webhook ?? null;
    },
  };
}

/**
 * SQL by hand: a count and an insert in one statement, at the place of the feed that the snapshot has reached. What
 * commits later has a later place.
 */
const ADD = `
  insert into app.webhooks (webhook_id, owner_id, url, event_types, description, secret, history, position, seq)
  select $1, $2::uuid, $3, $4::text[], $5, $6::bytea, ${FEED_HISTORY},
    ${HORIZON}, 0
  where (select count(*) from app.webhooks where owner_id = $2::uuid) < $7
  returning ${WEBHOOK_COLUMNS}`;

/** SQL by hand: a lock, and the clock. Attempts lock the webhook before its deliveries, too. */
const LOCK = 'select from app.webhooks where owner_id = $1 and webhook_id = $2 for no key update';

const DUE_NOW = `
  update app.webhook_deliveries set due_at = app.now()
  where webhook_id = $1 and status = 'pending' and token is null and due_at > app.now()`;

const REPLACE = `
  update app.webhooks set former_secret = secret, former_until = app.now() + $4::interval, secret = $3
  where owner_id = $1 and webhook_id = $2 returning ${WEBHOOK_COLUMNS}`;

/** SQL by hand: it returns the row. */
const REMOVE = `delete from app.webhooks where owner_id = $1 and webhook_id = $2 returning ${WEBHOOK_COLUMNS}`;
