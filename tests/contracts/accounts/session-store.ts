import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { ProviderSessions, Session, SessionStore, UsedSession } from '../../../domain/accounts/sign-in/session.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts';
import { aKeyOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { callerBySession } from '../../harness/known-callers.ts';
import { race } from '../adapters.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';

/** The promises of a session store, by a clock that the test moves. */
export function sessionStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let sessions: SessionStore;
  beforeAll(async () => {
    opened = await adapter.open();
    sessions = opened.storage.sessions;
  });
  afterAll(() => opened.close());

  /** Sets the clock to noon and adds a session of a new owner. */
  async function loggedIn(since = 0): Promise<{ session: Session; owner: Owner }> {
    await opened.arrange.freeze(NOON);
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    const session = aSessionOf(owner, { created_at: new Date(NOON.getTime() - since) });
    await sessions.add(session);
    return { session, owner };
  }

  const after = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  const isOpen = async (session: Session) => (await callerBySession(opened.storage.admission, session)) !== null;

  test('a session of an unknown owner is refused', async () => {
    await expect(sessions.add(aSessionOf(anOwner()))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('a session is destroyed once, and no other with it', async () => {
    const { session, owner } = await loggedIn();
    const other = aSessionOf(owner, { created_at: NOON });
    await sessions.add(other);
    expect(await sessions.destroy(session.session_hash)).toBe(true);
    expect(await sessions.destroy(session.session_hash)).toBe(false);
    expect([await isOpen(session), await isOpen(other)]).toEqual([false, true]);
  });

  test('all sessions of an owner end except the given one, and no session of another owner ends', async () => {
    const { session: spared, owner } = await loggedIn();
    const { session: foreign } = await loggedIn();
    const others = [aSessionOf(owner, { created_at: NOON }), aSessionOf(owner, { created_at: NOON })];
    for (const session of others) await sessions.add(session);
    expect(await sessions.destroyOf(owner.owner_id, spared.session_hash)).toBe(2);
    expect(await Promise.all([spared, foreign, ...others].map(isOpen))).toEqual([true, true, false, false]);
    expect(await sessions.destroyOf(owner.owner_id, foreign.session_hash)).toBe(1);
    expect(await sessions.destroyOf(owner.owner_id, null)).toBe(0);
    expect(await sessions.destroyOf(foreign.owner_id, null)).toBe(1);
    expect(await Promise.all([spared, foreign].map(isOpen))).toEqual([false, false]);
  });

  test('the sessions of an owner are listed, the last used first', async () => {
    const { session: early, owner } = await loggedIn(2 * HOUR);
    const { session: foreign } = await loggedIn();
    const late = aSessionOf(owner, { created_at: new Date(NOON.getTime() - HOUR) });
    await sessions.add(late);
    const used = (session: Session, last_seen_at: Date) => ({ ...session, last_seen_at });
    const listed = async () => (await sessions.list(owner.owner_id)).map(plain);
    expect(await listed()).toEqual([used(late, late.created_at), used(early, early.created_at)].map(plain));
    expect(await isOpen(early)).toBe(true);
    expect(await listed()).toEqual([used(early, NOON), used(late, late.created_at)].map(plain));
    expect(await sessions.list(foreign.owner_id)).toHaveLength(1);
  });

  test('an owner who has 100 sessions and logs in loses the one that was unused for longest', async () => {
    const { session: oldest, owner } = await loggedIn(2 * HOUR);
    const { session: foreign } = await loggedIn(3 * HOUR);
    const second = aSessionOf(owner, { created_at: new Date(NOON.getTime() - HOUR) });
    await sessions.add(second);
    for (let count = 2; count < 100; count += 1) await sessions.add(aSessionOf(owner, { created_at: NOON }));
    expect([await isOpen(oldest), (await sessions.list(owner.owner_id)).length]).toEqual([true, 100]);
    await sessions.add(aSessionOf(owner, { created_at: NOON }));
    expect((await sessions.list(owner.owner_id)).length).toBe(100);
    expect(await Promise.all([oldest, second, foreign].map(isOpen))).toEqual([true, false, true]);
  });

  test('a login is recent for the given time, by the clock of the storage', async () => {
    const { session, owner } = await loggedIn();
    const unproved = aSessionOf(owner, { created_at: NOON, authenticated_at: null });
    await sessions.add(unproved);
    const confirm = ({ session_hash }: Session) => sessions.confirmRecent(session_hash, 10 * MINUTE);
    expect([await confirm(session), await confirm(unproved), await confirm(aSessionOf(owner))]).toEqual([
      true,
      false,
      false,
    ]);
    await after(10 * MINUTE - 1);
    expect(await confirm(session)).toBe(true);
    await after(10 * MINUTE);
    expect(await confirm(session)).toBe(false);
  });

  test('of a session that ends while it is confirmed, either nothing happens or it ends after the action', async () => {
    expect(await outlivesItsEnd(opened.storage, (await loggedIn()).session)).toBe(false);
  });

  test('a logout at the provider ends the sessions of the person, of its session, or of both, that had begun', async () => {
    const [{ session: foreign }, { session, owner }] = [await loggedIn(), await loggedIn()];
    const named = (provider_session: string, created_at = NOON) => aSessionOf(owner, { created_at, provider_session });
    const [one, two, late] = [named('one'), named('two'), named('one', new Date(NOON.getTime() + 2))];
    for (const each of [one, two, late]) await sessions.add(each);
    const { owner_id } = owner;
    const open = async () => (await sessions.list(owner_id)).map(({ session_hash }) => hexOf(session_hash)).toSorted();
    const hashes = (...left: readonly Session[]) => left.map(({ session_hash }) => hexOf(session_hash)).toSorted();
    const until = new Date(NOON.getTime() + 1);
    const end = (of: ProviderSessions) => sessions.destroyByProvider(of, until);
    expect(await end({ owner_id: foreign.owner_id, provider_session: 'one' })).toEqual([]);
    expect(await end({ owner_id, provider_session: 'one' })).toEqual([owner_id]);
    expect(await open()).toEqual(hashes(session, two, late));
    expect(await end({ owner_id: null, provider_session: 'two' })).toEqual([owner_id]);
    expect(await end({ owner_id, provider_session: null })).toEqual([owner_id]);
    expect(await open()).toEqual(hashes(late));
    expect(await end({ owner_id: foreign.owner_id, provider_session: null })).toEqual([foreign.owner_id]);
    await expect(end({ owner_id: null, provider_session: null })).rejects.toThrow('Neither');
  });

  test('of 20 who destroy one session at once, one does', async () => {
    const { session } = await loggedIn();
    const destroyed = await race(20, () => sessions.destroy(session.session_hash));
    expect(destroyed.filter(Boolean)).toHaveLength(1);
  });

  test('a rollback restores the session that a transaction destroyed', async () => {
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
    const { session: old } = await loggedIn(7 * DAY - 12 * HOUR);
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

/**
 * A key is added in a transaction that has confirmed the session, after another transaction ended the session and revoked
 * all keys if it can; whether the key is there in the end.
 */
export async function outlivesItsEnd(
  { transaction, apiKeys }: Pick<Storage, 'transaction' | 'apiKeys'>,
  session: Session,
): Promise<boolean> {
  const { session_hash, owner_id } = session;
  const confirmed = Promise.withResolvers<void>();
  const end = confirmed.promise.then(() =>
    transaction(async (own) => {
      await own.sessions.destroyOf(owner_id, null);
      await own.apiKeys.revokeAll(owner_id);
    }),
  );
  await transaction(async (own) => {
    if (!(await own.sessions.confirmRecent(session_hash, 100 * DAY))) throw new Error('Nobody has ended it yet.');
    confirmed.resolve();
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 100))]);
    await own.apiKeys.add(aKeyOf(session), 5);
  });
  await end;
  return (await apiKeys.list(owner_id)).length > 0;
}

function plain({ session_hash, ...rest }: UsedSession) {
  return { session_hash: hexOf(session_hash), ...rest };
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
