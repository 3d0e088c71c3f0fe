import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { deliverWebhooks } from '../../../application/webhooks/deliver-webhooks.ts';
import { SESSION, WEBHOOK } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import type { WebhookRequest, WebhookResult } from '../../../domain/webhooks/delivery.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { FAR } from '../../contracts/decisions/evaluated.ts';
import { anOwnerWithAgent, type TestOwner } from '../../harness/owners.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const OK: WebhookResult = { outcome: 'answered', status: 200, retryAfter: null };
const DOWN: WebhookResult = { outcome: 'failed', reason: 'CONNECTION_FAILED' };
const URL = 'https://example.com/webhooks';

interface Sent extends WebhookRequest {
  readonly event: { readonly id: string; readonly type: string; readonly data: Readonly<Record<string, string>> };
}

describe.each(STORAGES)('webhooks, on %s', (storage) => {
  let service: TestService;
  let owner: TestOwner;
  /** What arrived, and how the receiver answers. */
  let arrived: Sent[] = [];
  let answer: () => WebhookResult = () => OK;
  beforeAll(async () => {
    const webhookSender = {
      async send(sent: WebhookRequest) {
        const result = answer();
        if (result.outcome === 'answered') arrived.push({ ...sent, event: JSON.parse(sent.body) });
        return result;
      },
    };
    const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '1000' };
    service = await openService(storage, { at: AT, env, ports: () => ({ webhookSender }) });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.arrange.freeze(AT);
    owner = await anOwnerWithAgent(service);
    arrived = [];
    answer = () => OK;
  });

  afterEach(async () => {
    const { webhooks } = service.ports;
    for (const { webhook_id } of await webhooks.list(owner.owner_id)) await webhooks.remove(owner.owner_id, webhook_id);
  });

  const call = (method: 'post' | 'patch' | 'delete', path: string, body?: object) =>
    request(service.app)
      [method](`/api/v1/owner/webhooks${path}`)
      .set({ cookie: owner.cookie(), ...OWN_PAGE })
      .send(body);
  const create = async (body: object = { url: URL }) => {
    const { status, body: made } = await call('post', '', body);
    expect([status, made.error]).toEqual([201, undefined]);
    return made as { readonly webhook_id: string; readonly secret: string };
  };
  const read = async (path: string) => (await owner.get(`/webhooks${path}`)).body;
  const sweep = async () => {
    await service.arrange.settle();
    return deliverWebhooks(service.ports);
  };
  const record = async (): Promise<string> => {
    const { body } = await owner.agent.submit(aSubmission(await service.ports.clock.now()));
    return body.record_id;
  };
  const quarantine = (record_id: string) => auditedModeration(service.ports).quarantine(record_id, 'a test', FAR);
  const release = (record_id: string) => auditedModeration(service.ports).release(record_id);
  const advance = (millis: number) => service.arrange.advance(millis);
  const statuses = async (webhook_id: string) =>
    (await read(`/${webhook_id}/deliveries`)).items.map(({ status }: { status: string }) => status);

  test('an event arrives as the item of the feed, signed, with its id', async () => {
    const { webhook_id, secret } = await create();
    await quarantine(await record());
    await sweep();
    const [{ url, headers, body, event }, ...rest] = arrived as [Sent, ...Sent[]];
    expect(rest).toEqual([]);
    // Of the submission itself, which the feed begins with, none is sent.
    const [submission, item, ...others] = (await owner.get('/events')).body.items;
    expect([submission.type, others]).toEqual(['decision.submitted', []]);
    expect([url, event]).toEqual([URL, item]);
    const seconds = String(AT.getTime() / 1_000);
    expect(headers['webhook-id']).toBe(item.id);
    expect(headers['webhook-timestamp']).toBe(seconds);
    expect(headers['webhook-signature']).toBe(signed(secret, `${event.id}.${seconds}.${body}`));
    expect(await read(`/${webhook_id}/deliveries`)).toEqual({
      items: [
        {
          delivery_id: expect.any(String),
          event_id: event.id,
          event_type: 'decision.quarantined',
          status: 'delivered',
          attempts: [{ at: AT.toISOString(), status: 200, failure: null }],
          next_attempt_at: null,
          created_at: AT.toISOString(),
        },
      ],
      next_cursor: null,
    });
    await sweep();
    expect(arrived).toHaveLength(1);
  });

  test('a receiver that is down for three hours gets every event, those of a decision in their order', async () => {
    await create({ url: URL, event_types: ['decision.quarantined', 'decision.released'] });
    const ids = [await record(), await record(), await record()];
    answer = () => DOWN;
    for (let minutes = 0; minutes < 180; minutes += 10) {
      for (const id of ids) await (minutes % 20 === 0 ? quarantine(id) : release(id));
      await sweep();
      await advance(10 * MINUTE);
    }
    expect(arrived).toEqual([]);
    answer = () => OK;
    // The retry schedule of the first events goes on for hours; each sweep names its next moment.
    for (let next = await sweep(); next !== null; next = await sweep()) {
      await service.arrange.freeze(next);
      expect(next.getTime() - AT.getTime()).toBeLessThan(DAY);
    }
    expect(new Set(arrived.map(({ event: { id } }) => id)).size).toBe(arrived.length);
    const pair = ['decision.quarantined', 'decision.released'];
    for (const id of ids) {
      const types = arrived.filter(({ event }) => event.data.record_id === id).map(({ event }) => event.type);
      expect(types).toEqual(Array.from({ length: 9 }, () => pair).flat());
    }
  });

  test('an attempt that fails is repeated with the same id and body and a new timestamp', async () => {
    const { webhook_id } = await create();
    answer = () => ({ outcome: 'answered', status: 503, retryAfter: 600 });
    await call('post', `/${webhook_id}/test`);
    expect(await sweep()).toEqual(new Date(AT.getTime() + 10 * MINUTE));
    await advance(10 * MINUTE - 1);
    await sweep();
    expect(arrived).toHaveLength(1);
    await advance(1);
    answer = () => OK;
    await sweep();
    const [first, second] = arrived as [Sent, Sent];
    expect(second.body).toBe(first.body);
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
    const seconds = [first, second].map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(seconds).toEqual([AT.getTime() / 1_000, AT.getTime() / 1_000 + 600]);
    expect((await read(`/${webhook_id}/deliveries`)).items[0].attempts).toMatchObject([
      { status: 503 },
      { status: 200 },
    ]);
  });

  test('410 stops a webhook until its owner starts it', async () => {
    const { webhook_id } = await create();
    answer = () => ({ outcome: 'answered', status: 410, retryAfter: null });
    const id = await record();
    await quarantine(id);
    await sweep();
    expect(await read(`/${webhook_id}`)).toMatchObject({ status: 'gone', failing_since: AT.toISOString() });
    answer = () => OK;
    arrived = [];
    await release(id);
    await advance(HOUR);
    expect([await sweep(), arrived]).toEqual([null, []]);
    const { body } = await call('patch', `/${webhook_id}`, { enabled: true });
    expect(body).toMatchObject({ status: 'active', failing_since: null });
    await sweep();
    expect(arrived.map(({ event: { type } }) => type)).toEqual(['decision.quarantined', 'decision.released']);
  });

  test('five days of failures pause a webhook; what failed for good is sent again when its owner says so', async () => {
    const { webhook_id } = await create();
    answer = () => DOWN;
    await call('post', `/${webhook_id}/test`);
    for (let next = await sweep(); next !== null; next = await sweep()) await service.arrange.freeze(next);
    expect(await owner.logInAgain()).toBeUndefined();
    expect(await statuses(webhook_id)).toEqual(['failed']);
    expect(await read(`/${webhook_id}`)).toMatchObject({ status: 'active', failing_since: AT.toISOString() });
    await service.arrange.freeze(new Date(AT.getTime() + WEBHOOK.pauseAfter));
    await owner.logInAgain();
    await call('post', `/${webhook_id}/test`);
    await sweep();
    expect(await read('')).toMatchObject({ items: [{ webhook_id, status: 'paused' }] });
    answer = () => OK;
    await call('patch', `/${webhook_id}`, { enabled: true });
    const { status, body } = await call('post', `/${webhook_id}/resend-failed`, { since: AT.toISOString() });
    expect([status, body]).toEqual([202, { resent: 1 }]);
    await sweep();
    expect(await statuses(webhook_id)).toEqual(['delivered', 'delivered']);
    const [newest] = (await read(`/${webhook_id}/deliveries`)).items;
    await call('post', `/${webhook_id}/deliveries/${newest.delivery_id}/resend`);
    await sweep();
    expect(arrived.filter(({ event: { id } }) => id === newest.event_id)).toHaveLength(2);
  });

  test('after a rotation both secrets sign for a day', async () => {
    const { webhook_id, secret } = await create();
    const { body: rotated } = await call('post', `/${webhook_id}/rotate-secret`);
    expect(rotated.former_secret_until).toBe(new Date(AT.getTime() + DAY).toISOString());
    const signatures = async () => {
      await call('post', `/${webhook_id}/test`);
      await sweep();
      const { headers, body, event } = arrived.at(-1) as Sent;
      const text = `${event.id}.${headers['webhook-timestamp']}.${body}`;
      return [headers['webhook-signature'], signed(rotated.secret, text), signed(secret, text)];
    };
    const [both, renewed, former] = await signatures();
    expect(both).toBe(`${renewed} ${former}`);
    await advance(DAY);
    await owner.logInAgain();
    const [one, alone] = await signatures();
    expect(one).toBe(alone);
  });

  test('what it takes to create, rotate and change the URL is a recent login; to stop it is none', async () => {
    const { webhook_id } = await create();
    await advance(SESSION.reauthenticateAfter);
    const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
    const old = [401, 'REAUTHENTICATION_REQUIRED'];
    expect(codeOf(await call('post', '', { url: URL }))).toEqual(old);
    expect(codeOf(await call('patch', `/${webhook_id}`, { url: 'https://example.org/' }))).toEqual(old);
    expect(codeOf(await call('post', `/${webhook_id}/rotate-secret`))).toEqual(old);
    expect((await call('patch', `/${webhook_id}`, { enabled: false, description: 'Off' })).body).toMatchObject({
      status: 'disabled',
      url: URL,
      description: 'Off',
    });
    expect((await call('delete', `/${webhook_id}`)).status).toBe(204);
    expect(codeOf(await owner.get(`/webhooks/${webhook_id}`))).toEqual([404, 'NOT_FOUND']);
    const { items } = (await owner.get('/security-events')).body;
    const kinds = items.flatMap(({ kind, subject }: Record<string, string>) => (subject === webhook_id ? [kind] : []));
    expect(kinds.toSorted()).toEqual(['webhook_created', 'webhook_removed']);
  });

  test('a URL that nothing may be sent to is refused', async () => {
    for (const url of ['http://example.com/', 'https://127.0.0.1/', 'https://user@example.com/', 'nowhere']) {
      const { status, body } = await call('post', '', { url });
      expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', 'url']);
    }
    const { webhook_id } = await create();
    expect((await call('patch', `/${webhook_id}`, { url: 'http://example.com/' })).status).toBe(400);
    expect((await read(`/${webhook_id}`)).url).toBe(URL);
  });

  test('an account holds ten, and sends a bounded number of tests', async () => {
    const { webhook_id } = await create();
    for (let each = 1; each < WEBHOOK.perOwner; each += 1) await create();
    expect((await call('post', '', { url: URL })).body.error.code).toBe('TIER_LIMIT_REACHED');
    for (let each = 0; each < WEBHOOK.testsPerHour; each += 1) {
      expect((await call('post', `/${webhook_id}/test`)).status).toBe(202);
    }
    expect((await call('post', `/${webhook_id}/test`)).body.error.code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('the events of a suspended owner wait', async () => {
    await create();
    const id = await record();
    await quarantine(id);
    await service.operators.ownerAdministration.suspend(owner.owner_id);
    await sweep();
    expect(arrived).toEqual([]);
    await service.operators.ownerAdministration.resume(owner.owner_id);
    await sweep();
    expect(arrived.map(({ event }) => event.data.record_id)).toEqual([id]);
  });

  test('the audit log, which stays when an owner is erased, has their ids and not their addresses', async () => {
    const { webhook_id } = await create();
    await call('patch', `/${webhook_id}`, { url: 'https://example.org/other' });
    await call('delete', `/${webhook_id}`);
    const entries = await service.ports.audit.about(webhook_id, 10);
    expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
      ['remove_webhook', {}],
      ['change_webhook', {}],
      ['create_webhook', {}],
    ]);
  });

  test('an export contains webhooks without their secrets', async () => {
    const { webhook_id, secret } = await create();
    const { text } = await owner.get('/export');
    const lines = text.split('\n').filter((line) => line.includes('"type":"webhooks"'));
    const rows = lines.map((line) => JSON.parse(line).row);
    expect(rows).toMatchObject([{ webhook_id, url: URL }]);
    expect(rows[0]).not.toHaveProperty('secret');
    expect(text).not.toContain(secret);
  });

  test('a secret that was sealed under another SESSION_SECRET signs nothing, and its delivery shows that', async () => {
    const { webhook_id } = await create();
    await call('post', `/${webhook_id}/test`);
    const { settings } = service.ports;
    await deliverWebhooks({ ...service.ports, settings: { ...settings, sessionSecret: 'x'.repeat(40) } });
    expect(arrived).toEqual([]);
    const [delivery] = (await read(`/${webhook_id}/deliveries`)).items;
    expect(delivery.attempts).toMatchObject([{ status: null, failure: 'SECRET_UNREADABLE' }]);
  });
});

function signed(secret: string, text: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}
