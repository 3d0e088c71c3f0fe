import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey } from '../../domain/accounts/keys/api-key.ts';
import { type EventScope, isBeyond } from '../../domain/events/event.ts';
import { API_KEY, EVENTS, QUOTA } from '../../domain/limits.ts';
import { DAY, rfc3339, utcDate } from '../../domain/time.ts';
import { aKeyOf } from '../builders/accounts.ts';
import { auditedModeration } from '../builders/audited-moderation.ts';
import { race } from './adapters.ts';
import type { DecisionContract } from './decisions/bench.ts';
import { evaluateAll, FAR } from './decisions/evaluated.ts';

/** The promises of the feed of events; which changes have one is in decisions/transitions.ts. */
export const eventStoreContract: DecisionContract = {
  name: 'the events of owners',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));
    const page = async (scope: EventScope, after: string | null = null, limit = 100) => {
      await bench.arrange().settle();
      return bench.storage().events.page(scope, after, limit);
    };
    const startOf = async (scope: EventScope) => (await page(scope)).next;
    const quarantine = (record_id: string) => auditedModeration(bench.storage()).quarantine(record_id, 'a test', FAR);
    const release = (record_id: string) => auditedModeration(bench.storage()).release(record_id);

    test('an event has an id of its own, the time of the storage, and ids and states alone', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await bench.arrange().advance(1_234);
      const at = await bench.now();
      await quarantine(record_id);
      const { events } = await page(agent);
      const data = { record_id, agent_id: agent.agent_id, lifecycle_state: 'quarantined', result_bucket: null };
      expect(events.map(({ event }) => event)).toEqual([
        { id: expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/), type: 'decision.quarantined', at, data },
      ]);
    });

    test('an evaluation is an event with its bucket, and the credit that it earned one', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await evaluateAll(bench);
      const types = (await page(agent)).events.map(({ event }) => event);
      const { agent_id } = agent;
      expect(types).toMatchObject([
        { type: 'decision.verified', data: { lifecycle_state: 'verified', result_bucket: null } },
        { type: 'decision.evaluated', data: { lifecycle_state: 'evaluated', result_bucket: expect.any(String) } },
        {
          type: 'quota.credited',
          data: { record_id, agent_id, amount: QUOTA.queryCredit, day: utcDate(await bench.now()) },
        },
      ]);
      await quarantine(record_id);
      await release(record_id);
      expect((await page(agent)).events.map(({ event: { type } }) => type).slice(3)).toEqual([
        'decision.quarantined',
        'decision.released',
      ]);
    });

    test('an owner reads what concerns them and everybody, with an agent nothing of the other agents', async () => {
      const agent = await bench.agent();
      const [mate, other] = [await bench.agent(agent), await bench.agent()];
      const start = await startOf(agent);
      const ids = [];
      for (const each of [agent, mate, other]) {
        const { record_id } = await bench.accepted(each);
        await quarantine(record_id);
        ids.push(record_id);
      }
      await bench.arrange().circuit('USDT', 'tripped');
      const { owner_id, agent_id } = agent;
      const read = async (scope: EventScope) =>
        (await page(scope, start)).events.map(({ event: { data } }) =>
          'record_id' in data ? data.record_id : 'to' in data && data.to,
        );
      expect(await read({ owner_id })).toEqual([ids[0], ids[1], 'tripped']);
      expect(await read({ owner_id, agent_id })).toEqual([ids[0], 'tripped']);
      expect(await read({ owner_id, agent_id: mate.agent_id })).toEqual([ids[1], 'tripped']);
      expect(await read({ owner_id: other.owner_id, agent_id })).toEqual(['tripped']);
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('each place is one at which to go on: by pages of any size every event is read once, in order', async () => {
      const agent = await bench.agent();
      const start = await startOf(agent);
      for (let each = 0; each < 3; each += 1) {
        const { record_id } = await bench.accepted(agent, { symbol: `PAGE${each}` });
        await quarantine(record_id);
        if (each === 1) await bench.arrange().circuit('USDC', 'normal');
      }
      const all = (await page(agent, start)).events;
      expect(all).toHaveLength(6);
      for (const limit of [1, 2, 5, 6]) expect(await readFrom(start, limit)).toEqual(all.map(({ event }) => event));
      for (const [n, { place }] of all.entries()) {
        expect((await page(agent, place)).events.map(({ event }) => event.id)).toEqual(
          all.slice(n + 1).map(({ event }) => event.id),
        );
      }
      async function readFrom(from: string, limit: number) {
        const read = [];
        for (let after = from; ; ) {
          const { events, next } = await page(agent, after, limit);
          read.push(...events.map(({ event }) => event));
          if (events.length === 0) return read;
          after = next;
        }
      }
    });

    test('a reader can stop between the event of a grade and that of its credit', async () => {
      const agent = await bench.agent();
      const start = await startOf(agent);
      for (const symbol of ['STOPA', 'STOPB']) await bench.accepted(agent, { symbol });
      await evaluateAll(bench);
      const all = (await page(agent, start)).events;
      const types = all.map(({ event: { type } }) => type);
      expect(types.filter((type) => type === 'decision.evaluated')).toHaveLength(2);
      expect(types.filter((type) => type === 'quota.credited')).toHaveLength(2);
      expect(new Set(all.map(({ event: { id } }) => id)).size).toBe(all.length);
      for (const limit of [1, 2, 3]) {
        for (const [n, { place }] of [{ place: start }, ...all].entries()) {
          const next = all.slice(n, n + limit);
          expect((await page(agent, place, limit)).events).toEqual(next);
          const news = await bench.storage().events.news([agent.owner_id], place, limit);
          expect(news?.events.map(({ event, place }) => ({ event, place }))).toEqual(next);
        }
      }
    });

    test('a submission is an event for those who read submissions: the first of its record, the same in all readings', async () => {
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const { owner_id } = agent;
      const submissions = { owner_id, hasSubmissions: true };
      const start = await startOf(submissions);
      const at = await bench.now();
      const [one, two] = [await bench.accepted(agent), await bench.accepted(mate, { symbol: 'SECOND' })];
      await evaluateAll(bench);
      const all = (await page(submissions, start)).events;
      const submitted = all.flatMap(({ event }) => (event.type === 'decision.submitted' ? [event] : []));
      expect(submitted).toEqual(
        [one, two].map(({ record_id, lifecycle_state }, n) => ({
          id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
          type: 'decision.submitted',
          at,
          data: { record_id, agent_id: [agent, mate][n]?.agent_id, lifecycle_state, result_bucket: null },
        })),
      );
      for (const { record_id } of [one, two]) {
        const types = all.flatMap(({ event: { type, data } }) =>
          'record_id' in data && data.record_id === record_id ? [type] : [],
        );
        expect(types.slice(0, 3)).toEqual(['decision.submitted', 'decision.verified', 'decision.evaluated']);
      }
      const others = all.filter(({ event: { type } }) => type !== 'decision.submitted');
      expect((await page(agent, start)).events.length).toBeGreaterThan(0);
      expect((await page({ owner_id }, start)).events.map(({ event }) => event)).toEqual(
        others.map(({ event }) => event),
      );
      expect((await page({ ...submissions, agent_id: mate.agent_id }, start)).events.map(({ event }) => event)).toEqual(
        all.map(({ event }) => event).filter(({ data }) => 'agent_id' in data && data.agent_id === mate.agent_id),
      );
      for (const limit of [1, 2, 3]) {
        for (const [n, { place }] of [{ place: start }, ...all].entries()) {
          const next = all.slice(n, n + limit).map(({ event }) => event);
          const own = await bench.storage().events.page(submissions, place, limit);
          expect(own.events.map(({ event }) => event)).toEqual(next);
          const news = await bench.storage().events.news([owner_id], place, limit, [owner_id]);
          expect(news?.events.map(({ event }) => event)).toEqual(next);
          expect(news?.events.every((each) => each.owner_id === owner_id)).toBe(true);
        }
      }
      const unread = await bench.storage().events.news([owner_id], start, 100, []);
      expect(unread?.events.map(({ event }) => event)).toEqual(others.map(({ event }) => event));
    });

    test('from the end on a reader gets what happens later, submissions too', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await bench.arrange().settle();
      const scope = { owner_id: agent.owner_id, hasSubmissions: true };
      const end = await bench.storage().events.end();
      expect((await page(scope, end)).events).toEqual([]);
      const { record_id } = await bench.accepted(agent, { symbol: 'LATER' });
      await quarantine(record_id);
      const read = (await page(scope, end)).events.map(({ event: { type, data } }) => [
        type,
        'record_id' in data && data.record_id,
      ]);
      expect(read).toEqual([
        ['decision.submitted', record_id],
        ['decision.quarantined', record_id],
      ]);
    });

    test('while many submit at once, a reader that goes on from place to place misses and doubles none', async () => {
      const agent = await bench.agent();
      const scope = { owner_id: agent.owner_id, hasSubmissions: true };
      const start = await startOf(scope);
      let isOver = false;
      const read: string[] = [];
      const reader = (async () => {
        for (let after = start, last = false; ; ) {
          last = isOver;
          const { events, next } = await bench.storage().events.page(scope, after, 3);
          for (const { event } of events) {
            if (event.type === 'decision.submitted') read.push(event.data.record_id);
          }
          after = next;
          if (last && events.length === 0) return;
        }
      })();
      const ids: string[] = [];
      for (let round = 0; round < bench.runs(3); round += 1) {
        await race(8, async (worker) => {
          ids.push((await bench.accepted(agent, { symbol: `R${round}W${worker}` })).record_id);
        });
      }
      await bench.arrange().settle();
      isOver = true;
      await reader;
      expect(read.toSorted()).toEqual(ids.toSorted());
    });

    test('what a transaction did is no event when it is undone', async () => {
      const agent = await bench.agent();
      const start = await startOf(agent);
      const { record_id } = await bench.accepted(agent);
      const fault = new Error('the work failed');
      const undone = bench.storage().transaction(async ({ moderation, audit }) => {
        await moderation.quarantine(record_id, 'a test', FAR);
        await audit.append({ actor: 'a test', action: 'quarantine', subject: record_id, detail: {} });
        throw fault;
      });
      await expect(undone).rejects.toBe(fault);
      expect((await page(agent, start)).events).toEqual([]);
    });

    test('while many change at once, a reader that goes on from place to place misses and doubles none', async () => {
      const agent = await bench.agent();
      const start = await startOf(agent);
      const ids: string[] = [];
      for (let each = 0; each < 4; each += 1) {
        ids.push((await bench.accepted(agent, { symbol: `RACE${each}` })).record_id);
      }
      const rounds = bench.runs(5);
      let isOver = false;
      const read: { readonly id: string; readonly record: string; readonly type: string }[] = [];
      const reader = (async () => {
        for (let after = start, last = false; ; ) {
          last = isOver;
          const { events, next } = await bench.storage().events.page(agent, after, 3);
          for (const { event } of events) {
            if ('record_id' in event.data) read.push({ id: event.id, record: event.data.record_id, type: event.type });
          }
          after = next;
          if (last && events.length === 0) return;
        }
      })();
      for (let round = 0; round < rounds; round += 1) {
        // Each decision is moved by two workers at once, of which one waits for the other.
        await race(8, async (worker) => {
          const record_id = ids[worker % 4] ?? '';
          await quarantine(record_id);
          await release(record_id);
        });
      }
      await bench.arrange().settle();
      isOver = true;
      await reader;
      expect(new Set(read.map(({ id }) => id)).size).toBe(read.length);
      for (const record_id of ids) {
        const types = read.filter(({ record }) => record === record_id).map(({ type }) => type);
        expect(types.length).toBeGreaterThanOrEqual(2 * rounds);
        expect(types).toEqual(types.map((_, n) => (n % 2 === 0 ? 'decision.quarantined' : 'decision.released')));
      }
    });

    const noteKeys = async (limit = 100) => (await bench.storage().events.noteExpiringKeys(limit)).length;
    const aKey = async (owner: Pick<ApiKey, 'owner_id'>, life: number | null) => {
      const expires_at = life === null ? null : new Date((await bench.now()).getTime() + life);
      const key = { ...aKeyOf(owner), created_at: await bench.now(), expires_at };
      await bench.storage().apiKeys.add(key, 100);
      return key;
    };

    test('a key that expires soon has one event, for its owner alone, and its successor one of its own', async () => {
      const now = await bench.now();
      const agent = await bench.agent();
      const start = await startOf(agent);
      const [key] = [await aKey(agent, API_KEY.expiryNotice), await aKey(agent, null)];
      const later = await aKey(agent, API_KEY.expiryNotice + DAY);
      const revoked = await aKey(agent, DAY);
      await bench.storage().apiKeys.revoke(agent.owner_id, revoked.key_prefix);
      expect([await noteKeys(), await noteKeys()]).toEqual([1, 0]);
      const read = async (scope: EventScope) => (await page(scope, start)).events.map(({ event }) => event);
      const data = { key_prefix: key.key_prefix, expires_at: rfc3339(key.expires_at ?? 0) };
      const { owner_id, agent_id } = agent;
      expect(await read({ owner_id })).toMatchObject([{ type: 'key.expiring', at: await bench.now(), data }]);
      expect([await read({ owner_id, agent_id }), await read(await bench.agent())]).toEqual([[], []]);
      await bench.arrange().advance(DAY);
      expect(await noteKeys()).toBe(1);
      const { key_prefix, key_hash } = aKeyOf(agent);
      const successor = { key_prefix, key_hash, created_at: await bench.now(), expires_at: later.expires_at };
      await bench.storage().apiKeys.rotate(owner_id, later.key_prefix, successor);
      expect(await noteKeys()).toBe(1);
      await bench.arrange().advance(API_KEY.expiryNotice);
      await aKey(agent, 0);
      expect(await noteKeys()).toBe(0);
      expect((await read({ owner_id })).map((event) => 'key_prefix' in event.data && event.data.key_prefix)).toEqual(
        [key, later, successor].map((each) => each.key_prefix),
      );
      await bench.arrange().freeze(now);
    });

    test('many at once write one event for each key, the first to expire first', async () => {
      const agent = await bench.agent();
      const start = await startOf(agent);
      const keys: ApiKey[] = [];
      for (const days of [3, 1, 4, 2]) keys.push(await aKey(agent, days * DAY));
      expect(await noteKeys(1)).toBe(1);
      const counts = await race(4, () => noteKeys(2));
      const rest = await noteKeys();
      expect(counts.reduce((sum, count) => sum + count, rest)).toBe(3);
      const { events } = await page({ owner_id: agent.owner_id }, start);
      const names = events.map(({ event: { data } }) => 'key_prefix' in data && data.key_prefix);
      expect(names[0]).toBe(keys[1]?.key_prefix);
      expect(names.toSorted()).toEqual(keys.map(({ key_prefix }) => key_prefix).toSorted());
    });

    test('news are the events of several owners and of everybody, each with whom it concerns', async () => {
      const agent = await bench.agent();
      const [mate, other, stranger] = [await bench.agent(agent), await bench.agent(), await bench.agent()];
      const start = await startOf(agent);
      const ids: string[] = [];
      for (const each of [other, agent, stranger, mate]) {
        const { record_id } = await bench.accepted(each);
        await quarantine(record_id);
        ids.push(record_id);
      }
      await bench.arrange().circuit('USDT', 'tripped');
      await bench.arrange().settle();
      const news = (owners: readonly { readonly owner_id: string }[], after: string, limit = 100) =>
        bench.storage().events.news(
          owners.map(({ owner_id }) => owner_id),
          after,
          limit,
        );
      const all = await news([agent, other], start);
      expect(
        all?.events.map(({ event: { data } }) => ('record_id' in data ? data.record_id : 'to' in data && data.to)),
      ).toEqual([ids[0], ids[1], ids[3], 'tripped']);
      expect(all?.events.map(({ owner_id, agent_id }) => [owner_id, agent_id])).toEqual([
        [other.owner_id, other.agent_id],
        [agent.owner_id, agent.agent_id],
        [agent.owner_id, mate.agent_id],
        [null, null],
      ]);
      expect(await news([agent, other], all?.next ?? '')).toEqual({ events: [], next: expect.any(String) });
      expect((await news([], start))?.events.map(({ event: { type } }) => type)).toEqual(['circuit.changed']);
      for (const limit of [1, 3, 4]) {
        const read = [];
        for (let after = start; ; ) {
          const { events, next } = (await news([agent, other], after, limit)) ?? { events: [], next: after };
          read.push(...events);
          after = next;
          if (events.length < limit) break;
        }
        expect(read).toEqual(all?.events);
      }
      // Both ways of reading have the same places.
      const own = (await page({ owner_id: agent.owner_id }, start)).events;
      const newsOfOwn = all?.events.filter(({ owner_id }) => owner_id !== other.owner_id);
      expect(newsOfOwn?.map(({ event, place }) => ({ event, place }))).toEqual(own);
      const places = all?.events.map(({ place }) => place) ?? [];
      for (const [n, place] of places.entries()) {
        expect(places.map((each) => isBeyond(each, place))).toEqual(places.map((_, m) => m > n));
        expect(isBeyond(place, all?.next ?? '')).toBe(false);
      }
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('from a place of another history there are no news', async () => {
      const agent = await bench.agent();
      const [, ...numbers] = (await startOf(agent)).split(' ');
      expect(await bench.storage().events.news([agent.owner_id], ['another', ...numbers].join(' '), 10)).toBeNull();
    });

    test('events are removed after the time for which they are stored', async () => {
      const now = await bench.now();
      const agent = await bench.agent();
      await quarantine((await bench.accepted(agent)).record_id);
      await bench.arrange().freeze(new Date(now.getTime() + EVENTS.stored - 1));
      await bench.storage().events.prune();
      expect((await page(agent)).events.length).toBeGreaterThan(0);
      await bench.arrange().freeze(new Date(now.getTime() + EVENTS.stored));
      expect(await bench.storage().events.prune()).toBeGreaterThan(0);
      expect((await page(agent)).events).toEqual([]);
      await bench.arrange().freeze(now);
    });
  },
};
