import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Owner } from '../../domain/accounts/owner.ts';
import type { Session } from '../../domain/accounts/session.ts';
import type { SessionStore } from '../../domain/accounts/session-store.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../domain/time.ts';
import { anOwner, aSessionOf } from '../builders/accounts.ts';
import { race } from './adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from './decisions/adapters.ts';

/** The promises of a session store, by a clock that the test moves. */
export function sessionStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let sessions: SessionStore;
  beforeAll(async () => {
    opened = await adapter.open();
    sessions = opened.storage.sessions;
  });
  afterAll(() => opened.close());

  /** The clock stands at noon again, and somebody logs in. */
  async function loggedIn(changes: Partial<Owner> = {}, since = 0): Promise<{ session: Session; owner: Owner }> {
    await opened.arrange.freeze(NOON);
    const owner = anOwner(changes);
    await opened.storage.owners.add(owner);
    const session = aSessionOf(owner, { created_at: new Date(NOON.getTime() - since) });
    await sessions.add(session);
    return { session, owner };
  }

  const after = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const isOpen = async ({ session_hash }: Session) => (await sessions.authenticate(session_hash)) !== null;

  test('a session speaks for its owner, with the role and the tier of this moment', async () => {
    const { session, owner } = await loggedIn({ tier: 'pro' });
    const caller = { credential: 'legacy_session', owner_id: owner.owner_id, role: 'owner', tier: 'pro' };
    expect(await sessions.authenticate(session.session_hash)).toEqual(caller);
    await opened.storage.owners.setRole(owner.owner_id, 'admin');
    expect(await sessions.authenticate(session.session_hash)).toEqual({ ...caller, role: 'admin' });
    await opened.storage.owners.setRole(owner.owner_id, 'owner');
    expect(await sessions.authenticate(session.session_hash)).toEqual(caller);
  });

  test('a hash that no session has speaks for nobody, and using it makes none', async () => {
    const { session_hash } = aSessionOf(anOwner());
    expect(await sessions.authenticate(session_hash)).toBeNull();
    expect(await sessions.destroy(session_hash)).toBe(false);
  });

  test('a session of nobody is refused', async () => {
    await expect(sessions.add(aSessionOf(anOwner()))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('an unused session is over after 12 hours', async () => {
    const [{ session: early }, { session: late }] = [await loggedIn(), await loggedIn()];
    await after(12 * HOUR - 1);
    expect(await isOpen(early)).toBe(true);
    await after(12 * HOUR);
    expect(await isOpen(late)).toBe(false);
  });

  test('each use puts that off, and is noted to the minute', async () => {
    const { session } = await loggedIn();
    await after(11 * HOUR);
    expect(await isOpen(session)).toBe(true);
    await after(11 * HOUR + 59 * SECOND);
    expect(await isOpen(session)).toBe(true);
    await after(23 * HOUR - 1);
    expect(await isOpen(session)).toBe(true);
    await after(35 * HOUR - 2);
    expect(await isOpen(session)).toBe(true);
  });

  test('a use within the minute of the last noted one is not written down', async () => {
    const { session } = await loggedIn();
    await after(MINUTE - 1);
    expect(await isOpen(session)).toBe(true);
    await after(12 * HOUR);
    expect(await isOpen(session)).toBe(false);
  });

  test('a session that is in use all the time is over after 7 days', async () => {
    const { session } = await loggedIn();
    for (let hours = 10; hours < 7 * 24; hours += 10) {
      await after(hours * HOUR);
      expect(await isOpen(session)).toBe(true);
    }
    await after(7 * DAY - 1);
    expect(await isOpen(session)).toBe(true);
    await after(7 * DAY);
    expect(await isOpen(session)).toBe(false);
    await sessions.prune();
    expect(await sessions.destroy(session.session_hash)).toBe(false);
  });

  test('destroying is once, and of that session alone', async () => {
    const { session, owner } = await loggedIn();
    const other = aSessionOf(owner, { created_at: NOON });
    await sessions.add(other);
    expect(await sessions.destroy(session.session_hash)).toBe(true);
    expect(await sessions.destroy(session.session_hash)).toBe(false);
    expect([await isOpen(session), await isOpen(other)]).toEqual([false, true]);
  });

  test('all sessions of an owner end but the one that is kept, and nobody else’s', async () => {
    const { session: kept, owner } = await loggedIn();
    const { session: foreign } = await loggedIn();
    const others = [aSessionOf(owner, { created_at: NOON }), aSessionOf(owner, { created_at: NOON })];
    for (const session of others) await sessions.add(session);
    expect(await sessions.destroyOf(owner.owner_id, kept.session_hash)).toBe(2);
    expect(await Promise.all([kept, foreign, ...others].map(isOpen))).toEqual([true, true, false, false]);
    expect(await sessions.destroyOf(owner.owner_id, foreign.session_hash)).toBe(1);
    expect(await sessions.destroyOf(owner.owner_id, null)).toBe(0);
    expect(await sessions.destroyOf(foreign.owner_id, null)).toBe(1);
    expect(await Promise.all([kept, foreign].map(isOpen))).toEqual([false, false]);
  });

  test('no use that is in flight brings a session back', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { session } = await loggedIn({}, HOUR);
      expect(await revivedByUse(sessions, session)).toBe(false);
      expect(await sessions.destroy(session.session_hash)).toBe(false);
    }
  });

  test('of 20 who destroy one session at once, one does', async () => {
    const { session } = await loggedIn();
    const destroyed = await race(20, () => sessions.destroy(session.session_hash));
    expect(destroyed.filter(Boolean)).toHaveLength(1);
  });

  test('what a transaction destroyed is back when it is undone', async () => {
    const { session } = await loggedIn();
    const fault = new Error('the work failed');
    const work = opened.storage.transaction(async (stores) => {
      await stores.sessions.destroy(session.session_hash);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await isOpen(session)).toBe(true);
  });

  test('pruning removes what is over, and nothing else', async () => {
    await after(100 * DAY);
    await sessions.prune();
    const { session: idle } = await loggedIn();
    const { session: old } = await loggedIn({}, 7 * DAY - 12 * HOUR);
    const { session: used } = await loggedIn();
    await after(HOUR);
    expect(await isOpen(used)).toBe(true);
    expect(await sessions.prune()).toBe(1);
    await after(12 * HOUR);
    expect(await sessions.prune()).toBe(1);
    const left = await Promise.all([idle, old, used].map(({ session_hash }) => sessions.destroy(session_hash)));
    expect(left).toEqual([false, false, true]);
  });
}

/** 20 requests are judged by a session that ends in their midst; whether it lets anybody in afterwards. */
export async function revivedByUse(sessions: SessionStore, { session_hash }: Session): Promise<boolean> {
  await race<unknown>(21, (worker) =>
    worker === 10 ? sessions.destroy(session_hash) : sessions.authenticate(session_hash),
  );
  return (await sessions.authenticate(session_hash)) !== null;
}
