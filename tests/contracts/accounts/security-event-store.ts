import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  eventOf,
  FAMILIAR_KINDS,
  type SecurityEvent,
  type SecurityEventStore,
} from '../../../domain/accounts/security-event.ts';
import { LOGIN, SECURITY_EVENTS } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { A_SOURCE, anOwner } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

export function aLoginOf(owner_id: string | null, changes: Partial<SecurityEvent> = {}): SecurityEvent {
  return { ...eventOf('login', 'success', owner_id, A_SOURCE), ...changes };
}

/** The promises of the trail, by a clock that the test moves. */
export function securityEventContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let events: SecurityEventStore;
  beforeAll(async () => {
    opened = await adapter.open();
    events = opened.storage.securityEvents;
  });
  afterAll(() => opened.close());

  const anId = () => anOwner().owner_id;
  const at = (millis: number) => new Date(NOON.getTime() + millis);
  const add = async (event: SecurityEvent, millis = 0) => {
    await opened.arrange.freeze(at(millis));
    await events.append(event);
  };
  const of = (owner_id: string) => events.list({ owner_id }, null, 1_000);

  test('an event is returned as it was written, at the time of the storage', async () => {
    const owner_id = anId();
    const event = aLoginOf(owner_id, { kind: 'key_revoked', subject: 'sbk_abc', actor: 'an operator' });
    await add(event, 1_234);
    expect(await of(owner_id)).toEqual([
      { ...event, seq: expect.stringMatching(/^\d+$/), at: at(1_234), last_at: at(1_234), count: 1 },
    ]);
  });

  test('equal events of a minute are one row with the first request; in anything else they differ by row', async () => {
    const owner_id = anId();
    const first = aLoginOf(owner_id);
    await add(first);
    await add(aLoginOf(owner_id, { request_id: 'request-2' }), 59 * SECOND);
    const others = [
      { kind: 'logout' },
      { result: 'failure' },
      { actor: 'an operator' },
      { subject: 'a key' },
      { network: null },
      { client: 'other' },
    ] as const;
    for (const other of others) await add({ ...first, ...other }, 59 * SECOND);
    await add(first, MINUTE);
    const rows = await of(owner_id);
    expect(rows).toHaveLength(8);
    expect(rows.at(-1)).toMatchObject({ ...first, at: at(0), last_at: at(59 * SECOND), count: 2 });
    expect(rows[0]).toMatchObject({ ...first, at: at(MINUTE), count: 1 });
  });

  test('a network is familiar for 30 days after the account was opened, or its owner proved who they are, from there', async () => {
    const [home, abroad] = ['home', 'abroad'];
    for (const kind of FAMILIAR_KINDS) {
      const owner_id = anId();
      await add(aLoginOf(owner_id, { network: home, kind }));
      await opened.arrange.freeze(at(LOGIN.known));
      expect([kind, await events.isFamiliar(owner_id, home)]).toEqual([kind, true]);
      expect(await events.isFamiliar(owner_id, abroad)).toBe(false);
      expect(await events.isFamiliar(owner_id, null)).toBe(false);
      expect(await events.isFamiliar(anId(), home)).toBe(false);
      await opened.arrange.freeze(at(LOGIN.known + SECOND));
      expect([kind, await events.isFamiliar(owner_id, home)]).toEqual([kind, false]);
    }
  });

  test('neither a failure nor another kind of event makes a network familiar', async () => {
    const owner_id = anId();
    await add(aLoginOf(owner_id, { network: 'home', result: 'failure' }));
    await add(aLoginOf(owner_id, { network: 'home', kind: 'logout' }));
    await add(aLoginOf(owner_id, { network: null }));
    expect(await events.isFamiliar(owner_id, 'home')).toBe(false);
    expect(await events.isFamiliar(owner_id, null)).toBe(false);
  });

  test('a network is known by a login with the password of today, or by its change, for 30 days', async () => {
    const owner_id = anId();
    const [home, abroad] = ['home', 'abroad'];
    const known = async (owner = owner_id) => [
      await events.hasLoggedIn(owner, home),
      await events.hasLoggedIn(owner, abroad),
    ];
    await add(aLoginOf(owner_id, { network: home, result: 'failure' }));
    await add(aLoginOf(owner_id, { network: home, kind: 'provider_login' }));
    await add(aLoginOf(owner_id, { network: null }));
    expect(await known()).toEqual([false, false]);
    await add(aLoginOf(owner_id, { network: home }));
    await add(aLoginOf(owner_id, { network: abroad }), SECOND);
    expect([await known(), await known(anId())]).toEqual([
      [true, true],
      [false, false],
    ]);
    await add(aLoginOf(owner_id, { network: home, kind: 'password_changed', result: 'failure' }), 2 * SECOND);
    expect(await known()).toEqual([true, true]);
    await add(aLoginOf(owner_id, { network: home, kind: 'password_changed' }), 3 * SECOND);
    expect(await known()).toEqual([true, false]);
    await add(aLoginOf(owner_id, { network: abroad }), MINUTE);
    expect(await known()).toEqual([true, true]);
    await add(aLoginOf(owner_id, { network: home, kind: 'password_reset', actor: 'an operator' }), MINUTE + SECOND);
    expect(await known()).toEqual([false, false]);
    await add(aLoginOf(owner_id, { network: home }), 2 * MINUTE);
    await opened.arrange.freeze(at(2 * MINUTE + LOGIN.known));
    expect(await known()).toEqual([true, false]);
    await opened.arrange.freeze(at(2 * MINUTE + LOGIN.known + 1));
    expect(await known()).toEqual([false, false]);
    await opened.arrange.freeze(NOON);
  });

  test('pages list what matches the whole filter once, the newest first', async () => {
    const [owner_id, other] = [anId(), anId()];
    for (let each = 0; each < 3; each += 1) {
      await add(aLoginOf(owner_id, { subject: `first ${each}` }), each * HOUR);
      await add(aLoginOf(owner_id, { subject: `second ${each}`, kind: 'logout', result: 'failure' }), each * HOUR);
      await add(aLoginOf(other), each * HOUR);
    }
    const subjects: (string | null)[] = [];
    for (let after = null as Awaited<ReturnType<typeof of>>[number] | null; ; ) {
      const page = await events.list({ owner_id }, after, 2);
      subjects.push(...page.map(({ subject }) => subject));
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    expect(subjects).toEqual(['second 2', 'first 2', 'second 1', 'first 1', 'second 0', 'first 0']);
    expect(await events.list({ owner_id, kind: 'logout', since: at(HOUR) }, null, 9)).toMatchObject([
      { subject: 'second 2' },
      { subject: 'second 1' },
    ]);
    expect(await events.list({ owner_id, kind: 'logout', result: 'success' }, null, 9)).toEqual([]);
    expect(await events.list({ kind: 'login', since: at(2 * HOUR) }, null, 1)).toMatchObject([{ owner_id: other }]);
  });

  test('beyond the rows of a day events are counted; the other result and other owners are stored as before', async () => {
    const owner_id = anId();
    const failed = (subject: string) => aLoginOf(owner_id, { result: 'failure', subject });
    const isFull = SECURITY_EVENTS.ofOwner;
    for (let each = 0; each < isFull + 3; each += 1) await add(failed(`guess ${each}`));
    await add(failed('another minute'), HOUR);
    await add(aLoginOf(owner_id), HOUR);
    const rows = await of(owner_id);
    expect(rows).toHaveLength(isFull + 2);
    const unknown = { subject: null, request_id: null, network: null, client: 'other', actor: null };
    const counted = rows.filter(({ count }) => count > 1);
    expect(counted).toMatchObject([{ kind: 'login', result: 'failure', count: 4, last_at: at(HOUR), ...unknown }]);
    expect(rows[0]).toMatchObject(aLoginOf(owner_id));
    await add(failed('the next day'), DAY);
    expect((await of(owner_id))[0]).toMatchObject({ subject: 'the next day', count: 1 });
  });

  test('of 20 equal events at once none is lost', async () => {
    const owner_id = anId();
    await opened.arrange.freeze(NOON);
    expect(await countedOf20(events, owner_id)).toBe(20);
    await race(20, () => events.append(aLoginOf(null, { network: owner_id.slice(0, 8) })));
    expect(await of(owner_id)).toHaveLength(1);
    const unknown = await events.list({}, null, 1_000);
    expect(unknown.filter(({ network }) => network === owner_id.slice(0, 8))).toMatchObject([
      { owner_id: null, count: 20 },
    ]);
  });

  test('what a transaction wrote is gone when it is undone', async () => {
    const owner_id = anId();
    await add(aLoginOf(owner_id));
    const fault = new Error('the work failed');
    const work = opened.storage.transaction(async (stores) => {
      await stores.securityEvents.append(aLoginOf(owner_id));
      await stores.securityEvents.append(aLoginOf(owner_id, { kind: 'logout' }));
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await of(owner_id)).toMatchObject([{ kind: 'login', count: 1 }]);
  });

  test('pruning removes rows whose last event is old enough, and nothing else', async () => {
    await opened.arrange.freeze(at(100 * DAY));
    await events.prune(SECURITY_EVENTS.leastKept);
    const owner_id = anId();
    await add(aLoginOf(owner_id, { subject: 'old' }));
    await add(aLoginOf(owner_id, { subject: 'counted up' }));
    await add(aLoginOf(owner_id, { subject: 'counted up' }), 1);
    await opened.arrange.freeze(at(SECURITY_EVENTS.leastKept));
    expect(await events.prune(SECURITY_EVENTS.leastKept)).toBe(1);
    expect(await of(owner_id)).toMatchObject([{ subject: 'counted up' }]);
  });
}

/** How many of 20 equal events at once are counted. */
export async function countedOf20(events: SecurityEventStore, owner_id: string): Promise<number> {
  await race(20, () => events.append(aLoginOf(owner_id)));
  const [first] = await events.list({ owner_id }, null, 1);
  return first?.count ?? 0;
}
