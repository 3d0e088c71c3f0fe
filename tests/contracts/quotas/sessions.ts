import { beforeEach, expect, test } from '@jest/globals';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { Session, SessionStore } from '../../../domain/accounts/sign-in/session.ts';
import type { AdmissionDesk } from '../../../domain/quotas/admission.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { anOwner, aSessionOf } from '../../builders/accounts.ts';
import { callerBySession } from '../../harness/known-callers.ts';
import { race } from '../adapters.ts';
import { NOON } from '../decisions/adapters.ts';
import type { LimitsBench } from './requests.ts';

/** Whom a session stands for, at the moment of the request, and until when. */
export function sessionContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));

  /** Somebody logs in at noon, or so long before. */
  async function loggedIn(changes: Partial<Owner> = {}, since = 0): Promise<{ session: Session; owner: Owner }> {
    const owner = anOwner(changes);
    await bench.storage().owners.add(owner);
    const session = aSessionOf(owner, { created_at: new Date(NOON.getTime() - since) });
    await bench.storage().sessions.add(session);
    return { session, owner };
  }

  async function isOpenAfter(millis: number, session: Session): Promise<boolean> {
    await bench.at(millis);
    return (await callerBySession(bench.desk(), session)) !== null;
  }

  test('a session speaks for its owner, with the role and the tier of this moment, until it is destroyed', async () => {
    const { sessions } = bench.storage();
    const { ownerAdministration } = bench.operators();
    const { session, owner } = await loggedIn();
    const { owner_id } = owner;
    await ownerAdministration.setTier(owner_id, 'pro');
    const known = { credential: 'legacy_session', owner_id, role: 'owner', tier: 'pro' };
    expect(await callerBySession(bench.desk(), session)).toEqual(known);
    await ownerAdministration.setRole(owner_id, 'admin');
    expect(await callerBySession(bench.desk(), session)).toEqual({ ...known, role: 'admin' });
    await ownerAdministration.setRole(owner_id, 'owner');
    await ownerAdministration.setTier(owner_id, 'free');
    expect(await callerBySession(bench.desk(), session)).toEqual({ ...known, tier: 'free' });
    await sessions.destroy(session.session_hash);
    expect(await callerBySession(bench.desk(), session)).toBeNull();
  });

  test('a hash that no session has speaks for nobody, and using it makes none', async () => {
    const session = aSessionOf(anOwner());
    expect(await callerBySession(bench.desk(), session)).toBeNull();
    expect(await bench.storage().sessions.destroy(session.session_hash)).toBe(false);
  });

  test('an unused session is over after 12 hours', async () => {
    const [{ session: early }, { session: late }] = [await loggedIn(), await loggedIn()];
    expect(await isOpenAfter(12 * HOUR - 1, early)).toBe(true);
    expect(await isOpenAfter(12 * HOUR, late)).toBe(false);
  });

  test('each use puts that off, and is noted to the minute', async () => {
    const { session } = await loggedIn();
    for (const millis of [11 * HOUR, 11 * HOUR + 59 * SECOND, 23 * HOUR - 1, 35 * HOUR - 2]) {
      expect(await isOpenAfter(millis, session)).toBe(true);
    }
    expect(await isOpenAfter(47 * HOUR - 2, session)).toBe(false);
  });

  test('a use within the minute of the last noted one is not written down; one after it is', async () => {
    const [{ session: early }, { session: late }] = [await loggedIn(), await loggedIn()];
    expect(await isOpenAfter(MINUTE - 1, early)).toBe(true);
    expect(await isOpenAfter(MINUTE, late)).toBe(true);
    expect(await isOpenAfter(12 * HOUR, early)).toBe(false);
    expect(await isOpenAfter(12 * HOUR, late)).toBe(true);
  });

  test('a session that is in use all the time is over after 7 days', async () => {
    const { session } = await loggedIn();
    for (let hours = 10; hours < 7 * 24; hours += 10) expect(await isOpenAfter(hours * HOUR, session)).toBe(true);
    expect(await isOpenAfter(7 * DAY - 1, session)).toBe(true);
    expect(await isOpenAfter(7 * DAY, session)).toBe(false);
    await bench.storage().sessions.prune();
    expect(await bench.storage().sessions.destroy(session.session_hash)).toBe(false);
  });

  /** Whether pruning at that time deletes the session; it is gone afterwards in any case. */
  async function isPrunedAt(millis: number, { session_hash }: Session): Promise<boolean> {
    const { sessions } = bench.storage();
    await bench.at(millis);
    await sessions.prune();
    return !(await sessions.destroy(session_hash));
  }

  test('pruning deletes an unused session after 12 hours to the millisecond', async () => {
    const [{ session: early }, { session: late }] = [await loggedIn(), await loggedIn()];
    expect(await isPrunedAt(12 * HOUR - 1, early)).toBe(false);
    expect(await isPrunedAt(12 * HOUR, late)).toBe(true);
  });

  test('pruning deletes a session that is in use after 7 days to the millisecond', async () => {
    const [{ session: early }, { session: late }] = [await loggedIn(), await loggedIn()];
    for (let hours = 10; hours < 7 * 24; hours += 10) {
      for (const session of [early, late]) expect(await isOpenAfter(hours * HOUR, session)).toBe(true);
    }
    expect(await isPrunedAt(7 * DAY - 1, early)).toBe(false);
    expect(await isPrunedAt(7 * DAY, late)).toBe(true);
  });

  test('no request that is in flight brings a session back', async () => {
    const { sessions, admission: desk } = bench.storage();
    for (let round = 0; round < 10; round += 1) {
      const { session } = await loggedIn({}, HOUR);
      expect(await revivedByUse({ sessions, desk }, session)).toBe(false);
      expect(await sessions.destroy(session.session_hash)).toBe(false);
    }
  });
}

export interface SessionsInUse {
  readonly sessions: Pick<SessionStore, 'destroy'>;
  readonly desk: Pick<AdmissionDesk, 'admit'>;
}

/** 20 requests are judged by a session that ends in their midst; whether it lets anybody in afterwards. */
export async function revivedByUse({ sessions, desk }: SessionsInUse, session: Session): Promise<boolean> {
  await race<unknown>(21, (worker) =>
    worker === 10 ? sessions.destroy(session.session_hash) : callerBySession(desk, session),
  );
  return (await callerBySession(desk, session)) !== null;
}
