import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from '@jest/globals';
import { WEBHOOK } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { type AttemptResult, afterAttempt } from '../../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/delivery-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { aWebhook } from '../../builders/webhooks.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { evaluateAll, FAR } from '../decisions/evaluated.ts';

const ANSWERED: AttemptResult = { outcome: 'answered', status: 200, retryAfter: null };
const FAILED: AttemptResult = { outcome: 'failed', reason: 'TIMED_OUT' };

/** The promises of the stores of webhooks and their deliveries. */
export const webhookContract: DecisionContract = {
  name: 'the webhooks of owners',
  promises(bench) {
    const { webhook, removeAll, quarantine, release, fanOut, moveAll, claim, settle, deliveriesOf } = wordsOf(bench);
    afterEach(removeAll);

    test('a webhook is stored, found, listed, changed and removed for its owner alone', async () => {
      const [agent, other] = [await bench.agent(), await bench.agent()];
      const made = await webhook(agent, { event_types: ['decision.evaluated'], description: 'Journal' });
      const { owner_id, webhook_id } = made;
      const { webhooks } = bench.storage();
      expect(made).toMatchObject({ owner_id, status: 'active', failures: 0, created_at: await bench.now() });
      expect(await webhooks.find(owner_id, webhook_id)).toEqual(made);
      const second = await webhook(agent);
      expect((await webhooks.list(owner_id)).map((each) => each.webhook_id).toSorted()).toEqual(
        [webhook_id, second.webhook_id].toSorted(),
      );
      const changes = { url: 'https://example.org/', event_types: null, status: 'disabled' } as const;
      for (const stranger of [other.owner_id, randomUUID()]) {
        expect(await webhooks.find(stranger, webhook_id)).toBeNull();
        expect(await webhooks.change(stranger, webhook_id, changes)).toBeNull();
        expect(await webhooks.replaceSecret(stranger, webhook_id, new Uint8Array([9]), DAY)).toBeNull();
        expect(await webhooks.remove(stranger, webhook_id)).toBeNull();
        expect(await webhooks.list(stranger)).toEqual([]);
      }
      const changed = { ...made, ...changes };
      expect(await webhooks.change(owner_id, webhook_id, changes)).toEqual(changed);
      expect(await webhooks.change(owner_id, webhook_id, { description: '' })).toEqual({ ...changed, description: '' });
      expect((await webhooks.remove(owner_id, webhook_id))?.url).toBe('https://example.org/');
      expect(await webhooks.find(owner_id, webhook_id)).toBeNull();
      expect(await webhooks.remove(owner_id, webhook_id)).toBeNull();
    });

    test('no owner has more than the limit, however many come at once', async () => {
      const { owner_id } = await bench.agent();
      const added = await race(8, () => bench.storage().webhooks.add(aWebhook({ owner_id }), 3));
      expect(added.filter((each) => each !== null)).toHaveLength(3);
      expect(await bench.storage().webhooks.list(owner_id)).toHaveLength(3);
    });

    test('a secret that is replaced stays for the overlap', async () => {
      const { owner_id, webhook_id, secret } = await webhook(await bench.agent());
      const renewed = new Uint8Array([9, 8, 7]);
      const after = await bench.storage().webhooks.replaceSecret(owner_id, webhook_id, renewed, DAY);
      expect([...(after?.secret ?? [])]).toEqual([...renewed]);
      expect([...(after?.former_secret ?? [])]).toEqual([...secret]);
      expect(after?.former_until).toEqual(new Date((await bench.now()).getTime() + DAY));
    });

    test('each event after its creation becomes one delivery of a webhook that wants it, however many sweeps run', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await quarantine(record_id);
      await bench.arrange().settle();
      const all = await webhook(agent);
      const some = await webhook(agent, { event_types: ['decision.released'] });
      const others = await webhook(await bench.agent());
      for (let each = 0; each < 3; each += 1) {
        await release(record_id);
        await quarantine(record_id);
      }
      await bench.arrange().settle();
      await race(4, () => moveAll(2));
      const typesOf = async (of: Webhook) => (await deliveriesOf(of)).map(({ event }) => event.type);
      const pair = ['decision.released', 'decision.quarantined'];
      expect(await typesOf(all)).toEqual([...pair, ...pair, ...pair]);
      expect(await typesOf(some)).toEqual(['decision.released', 'decision.released', 'decision.released']);
      expect(await typesOf(others)).toEqual([]);
      const events = (await bench.storage().events.page({ owner_id: agent.owner_id }, null, 100)).events.slice(1);
      expect((await deliveriesOf(all)).map(({ event }) => event)).toEqual(events.map(({ event }) => event));
    });

    test('a grade and its credit become two deliveries, also when they are made one at a time', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const made = await webhook(agent, { event_types: ['decision.evaluated', 'quota.credited'] });
      await evaluateAll(bench);
      await bench.arrange().settle();
      await moveAll(1);
      expect((await deliveriesOf(made)).map(({ event: { type, data } }) => [type, data])).toMatchObject([
        ['decision.evaluated', { record_id }],
        ['quota.credited', { record_id }],
      ]);
      expect(await bench.storage().deliveries.fanOut(1)).toBe('done');
    });

    test('no webhook waits until another one has all its events: they take turns', async () => {
      const EVENTS = 20;
      const others: Webhook[] = [];
      const agent = await bench.agent();
      const busy = await webhook(agent);
      const { record_id } = await bench.accepted(agent);
      for (let each = 0; each < EVENTS / 2; each += 1) {
        await quarantine(record_id);
        await release(record_id);
      }
      for (let each = 0; each < 3; each += 1) {
        const mate = await bench.agent();
        others.push(await webhook(mate));
        await quarantine((await bench.accepted(mate)).record_id);
      }
      await bench.arrange().settle();
      const waits = async () => (await Promise.all(others.map(deliveriesOf))).some((rows) => rows.length === 0);
      for (let turn = 0; turn < 2 * (others.length + 1); turn += 1) await bench.storage().deliveries.fanOut(1);
      expect(await waits()).toBe(false);
      expect((await deliveriesOf(busy)).length).toBeLessThan(EVENTS);
      await moveAll(100);
      expect(await deliveriesOf(busy)).toHaveLength(EVENTS);
    });

    test('a webhook that is not active, or whose owner is suspended, gets the events of meanwhile later', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      const { owner_id, webhook_id } = made;
      const { record_id } = await bench.accepted(agent);
      const { webhooks } = bench.storage();
      await webhooks.change(owner_id, webhook_id, { status: 'disabled' });
      await quarantine(record_id);
      await fanOut();
      expect(await deliveriesOf(made)).toEqual([]);
      await webhooks.change(owner_id, webhook_id, { status: 'active' });
      await bench.operators().ownerAdministration.suspend(owner_id);
      await fanOut();
      expect(await deliveriesOf(made)).toEqual([]);
      await bench.operators().ownerAdministration.resume(owner_id);
      await fanOut();
      expect(await deliveriesOf(made)).toHaveLength(1);
      await bench.operators().ownerAdministration.suspend(owner_id);
      expect(await claim(made)).toEqual([]);
      await bench.operators().ownerAdministration.resume(owner_id);
      expect(await claim(made)).toHaveLength(1);
    });

    test('at most two deliveries of a webhook are sent at a time, by all processes together', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      for (let each = 0; each < 5; each += 1) await quarantine((await bench.accepted(agent)).record_id);
      await fanOut();
      const claimed = (await race(4, () => claim(made))).flat();
      expect(claimed).toHaveLength(WEBHOOK.atOnce);
      for (const each of claimed) expect(await settle(each, ANSWERED)).toBe(true);
      const further = await claim(made);
      expect(further).toHaveLength(WEBHOOK.atOnce);
      // While it fails: one at a time, after a pause.
      for (const each of further) await settle(each, FAILED);
      expect(await claim(made)).toEqual([]);
      await bench.arrange().advance(MINUTE);
      expect(await claim(made)).toHaveLength(1);
    });

    test('no owner waits for the webhooks of another one, whose receivers are slow', async () => {
      const [slow, other] = [await bench.agent(), await bench.agent()];
      const { deliveries } = bench.storage();
      for (let each = 0; each < 3; each += 1) {
        const { owner_id, webhook_id } = await webhook(slow);
        for (let n = 0; n < 4; n += 1) await deliveries.addTest(owner_id, webhook_id, randomUUID());
      }
      await bench.arrange().advance(SECOND);
      const { owner_id, webhook_id } = await webhook(other);
      for (let n = 0; n < 2; n += 1) await deliveries.addTest(owner_id, webhook_id, randomUUID());
      const owners = async (limit: number) =>
        (await deliveries.claim(limit, WEBHOOK.lease)).map(({ webhook }) => webhook.owner_id);
      // Of two, one is for each; then each lease finds a delivery, though most webhooks have all of theirs.
      expect((await owners(2)).toSorted()).toEqual([slow.owner_id, other.owner_id].toSorted());
      const turns = [];
      for (let n = 0; n < 7; n += 1) turns.push(...(await owners(1)));
      expect(turns.slice(0, 2).toSorted()).toEqual([slow.owner_id, other.owner_id].toSorted());
      expect(turns.slice(2)).toEqual(Array.from({ length: 4 }, () => slow.owner_id));
    });

    test('an event waits until the earlier ones of its decision are delivered, or have failed for good', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      const { record_id } = await bench.accepted(agent);
      const other = await bench.accepted(agent);
      await quarantine(record_id);
      await release(record_id);
      await quarantine(other.record_id);
      await fanOut();
      const sentTo = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ delivery: { event } }) => event.type);
      const first = await claim(made);
      expect(sentTo(first)).toEqual(['decision.quarantined', 'decision.quarantined']);
      const [earlier, alone] = first;
      if (!earlier || !alone) throw new Error('Two deliveries were claimed.');
      await settle(alone, ANSWERED);
      await settle(earlier, FAILED);
      for (let step = 1; step <= WEBHOOK.retries.length; step += 1) {
        await bench.arrange().advance(DAY + 3 * HOUR);
        const [again, ...rest] = await claim(made);
        expect([again?.delivery.delivery_id, rest]).toEqual([earlier.delivery.delivery_id, []]);
        if (again) await settle(again, FAILED);
        await bench.storage().webhooks.change(made.owner_id, made.webhook_id, { status: 'active' });
      }
      expect((await deliveriesOf(made)).map(({ status }) => status)).toEqual(['failed', 'pending', 'delivered']);
      const last = await claim(made);
      expect(sentTo(last)).toEqual(['decision.released']);
    });

    test('a lease that ends lets another process send; what the first one learned is not written', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      await quarantine((await bench.accepted(agent)).record_id);
      await fanOut();
      const [first] = await claim(made);
      expect(await claim(made)).toEqual([]);
      await bench.arrange().advance(WEBHOOK.lease);
      const [second] = await claim(made);
      if (!first || !second) throw new Error('The delivery was claimed twice.');
      expect(second.delivery.delivery_id).toBe(first.delivery.delivery_id);
      expect(await settle(first, FAILED)).toBe(false);
      expect(await settle(second, ANSWERED)).toBe(true);
      expect(await settle(second, FAILED)).toBe(false);
      expect(await deliveriesOf(made)).toMatchObject([
        { status: 'delivered', due_at: null, attempts: [{ status: 200 }] },
      ]);
    });

    test('deliveries are listed in pages, the newest first, and sent again, for their owner alone', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      const { owner_id, webhook_id } = made;
      const { deliveries } = bench.storage();
      const ids = [];
      for (let each = 0; each < 3; each += 1) {
        ids.unshift((await deliveries.addTest(owner_id, webhook_id, randomUUID()))?.delivery_id);
      }
      const idsOf = async (after: string | null, limit: number) =>
        (await deliveries.list(owner_id, webhook_id, {}, after, limit))?.map(({ delivery_id }) => delivery_id);
      expect(await idsOf(null, 2)).toEqual(ids.slice(0, 2));
      const seq = (await deliveries.list(owner_id, webhook_id, {}, null, 2))?.at(-1)?.seq ?? '';
      expect(await idsOf(seq, 2)).toEqual(ids.slice(2));
      const [one] = await claim(made);
      if (!one) throw new Error('A delivery was claimed.');
      await settle(one, ANSWERED);
      const [delivered] = (await deliveries.list(owner_id, webhook_id, { status: 'delivered' }, null, 9)) ?? [];
      const id = one.delivery.delivery_id;
      expect(delivered?.delivery_id).toBe(id);
      const stranger = randomUUID();
      expect(await deliveries.list(stranger, webhook_id, {}, null, 9)).toBeNull();
      expect(await deliveries.addTest(stranger, webhook_id, randomUUID())).toBeNull();
      expect(await deliveries.resend(stranger, webhook_id, id)).toBeNull();
      expect(await deliveries.resendFailed(stranger, webhook_id, new Date(0))).toBeNull();
      expect(await deliveries.resend(owner_id, randomUUID(), id)).toBeNull();
      expect(await deliveries.list(owner_id, webhook_id, { status: 'pending' }, null, 9)).toHaveLength(2);
      const now = await bench.now();
      expect(await deliveries.resend(owner_id, webhook_id, id)).toMatchObject({
        status: 'pending',
        step: 0,
        due_at: now,
      });
    });

    test('failed deliveries are sent again together, from a time on', async () => {
      const made = await webhook(await bench.agent());
      const { owner_id, webhook_id } = made;
      const { deliveries } = bench.storage();
      const begun = await bench.now();
      await deliveries.addTest(owner_id, webhook_id, randomUUID());
      await bench.arrange().advance(SECOND);
      await deliveries.addTest(owner_id, webhook_id, randomUUID());
      const later = await bench.now();
      for (let left = 2 * (WEBHOOK.retries.length + 1); left > 0; left -= 1) {
        const [each] = await claim(made, 1);
        if (each) await settle(each, FAILED);
        await bench.arrange().advance(DAY + 3 * HOUR);
        await bench.storage().webhooks.change(owner_id, webhook_id, { status: 'active' });
      }
      expect((await deliveriesOf(made)).map(({ status }) => status)).toEqual(['failed', 'failed']);
      expect(await deliveries.resendFailed(owner_id, webhook_id, later)).toBe(1);
      expect(await deliveries.resendFailed(owner_id, webhook_id, begun)).toBe(1);
      expect(await deliveries.resendFailed(owner_id, webhook_id, begun)).toBe(0);
      expect(await claim(made)).toHaveLength(2);
      await bench.arrange().freeze(begun);
    });

    test('the next due time, and what waits', async () => {
      const agent = await bench.agent();
      const made = await webhook(agent);
      const { owner_id, webhook_id } = made;
      const { deliveries, webhooks } = bench.storage();
      for (const each of await webhooks.list(owner_id)) expect(each.webhook_id).toBe(webhook_id);
      const before = await deliveries.backlog();
      await bench.arrange().advance(HOUR);
      const now = await bench.now();
      await deliveries.addTest(owner_id, webhook_id, randomUUID());
      await bench.arrange().advance(MINUTE);
      expect(await deliveries.backlog()).toMatchObject({ due: before.due + 1, since: before.since ?? now });
      expect((await deliveries.nextDue())?.getTime()).toBeLessThanOrEqual(now.getTime());
      const [each] = await claim(made);
      if (!each) throw new Error('A delivery was claimed.');
      await settle(each, { outcome: 'answered', status: 410, retryAfter: null });
      expect(await deliveries.backlog()).toEqual({ ...before, stopped: before.stopped + 1 });
      expect(await claim(made)).toEqual([]);
    });

    test('a webhook that is removed takes its deliveries along, and an owner their webhooks', async () => {
      const agent = await bench.agent();
      const [first, second] = [await webhook(agent), await webhook(agent)];
      const { deliveries, webhooks } = bench.storage();
      await deliveries.addTest(first.owner_id, first.webhook_id, randomUUID());
      const [each] = await claim(first);
      if (!each) throw new Error('A delivery was claimed.');
      await webhooks.remove(first.owner_id, first.webhook_id);
      expect(await settle(each, ANSWERED)).toBe(false);
      expect(await deliveries.list(first.owner_id, first.webhook_id, {}, null, 9)).toBeNull();
      await bench.operators().ownerAdministration.remove(second.owner_id);
      expect(await webhooks.find(second.owner_id, second.webhook_id)).toBeNull();
      expect(await deliveries.list(second.owner_id, second.webhook_id, {}, null, 9)).toBeNull();
      await expect(webhooks.add(aWebhook({ owner_id: second.owner_id }), 9)).rejects.toMatchObject({
        code: 'UNAUTHORIZED',
      });
    });

    test('deliveries are removed after 30 days', async () => {
      const made = await webhook(await bench.agent());
      const begun = await bench.now();
      const { deliveries } = bench.storage();
      await deliveries.addTest(made.owner_id, made.webhook_id, randomUUID());
      await bench.arrange().freeze(new Date(begun.getTime() + WEBHOOK.kept - 1));
      await deliveries.prune();
      expect(await deliveriesOf(made)).toHaveLength(1);
      await bench.arrange().freeze(new Date(begun.getTime() + WEBHOOK.kept));
      expect(await deliveries.prune()).toBeGreaterThan(0);
      expect(await deliveriesOf(made)).toEqual([]);
      await bench.arrange().freeze(begun);
    });
  },
};

/** Short words for what the tests do. */
function wordsOf(bench: Bench) {
  const made: Webhook[] = [];
  const moveAll = async (limit: number) => {
    while ((await bench.storage().deliveries.fanOut(limit)) !== 'done');
  };
  return {
    moveAll,

    async fanOut() {
      await bench.arrange().settle();
      await moveAll(100);
    },

    quarantine: (record_id: string) => auditedModeration(bench.storage()).quarantine(record_id, 'a test', FAR),
    release: (record_id: string) => auditedModeration(bench.storage()).release(record_id),

    async webhook({ owner_id }: Pick<AgentCaller, 'owner_id'>, changes: Partial<Webhook> = {}): Promise<Webhook> {
      const webhook = await bench.storage().webhooks.add(aWebhook({ ...changes, owner_id }), 100);
      if (!webhook) throw new Error('The owner has too many webhooks.');
      made.push(webhook);
      return webhook;
    },

    /** So that no test claims what is due in another one. */
    async removeAll() {
      for (const { owner_id, webhook_id } of made.splice(0))
        await bench.storage().webhooks.remove(owner_id, webhook_id);
    },

    /** Those of one webhook; the leases of the others end by themselves. */
    async claim({ webhook_id }: Webhook, limit = 1_000): Promise<readonly ClaimedDelivery[]> {
      const claimed = await bench.storage().deliveries.claim(limit, WEBHOOK.lease);
      return claimed.filter(({ webhook }) => webhook.webhook_id === webhook_id);
    },

    settle: (claimed: ClaimedDelivery, result: AttemptResult) =>
      bench
        .storage()
        .deliveries.settle(claimed, (webhook, delivery, now) => afterAttempt(webhook, delivery, result, now, 0)),

    async deliveriesOf({ owner_id, webhook_id }: Webhook) {
      return ((await bench.storage().deliveries.list(owner_id, webhook_id, {}, null, 1_000)) ?? []).toReversed();
    },
  };
}
