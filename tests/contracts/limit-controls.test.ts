import { describe, expect, test } from '@jest/globals';
import type { Stores } from '../../application/ports.ts';
import type { Session } from '../../domain/accounts/sign-in/session.ts';
import type { Caller } from '../../domain/caller.ts';
import type { EvaluationEnd } from '../../domain/decisions/evaluation-store.ts';
import type { AdmissionDesk } from '../../domain/quotas/admission.ts';
import type { KeptStore, KeptSubject } from '../../domain/quotas/pools.ts';
import { anOwner, aSessionOf } from '../builders/accounts.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { admittedAfterRevocation } from './quotas/callers.ts';
import { creditAfterManyEnds } from './quotas/credit.ts';
import { keptAtOnce, keptWithFailures } from './quotas/kept-days.ts';
import { givenBackOverMidnight, unitsAfterChurn } from './quotas/pools.ts';
import { admittedAtOnce, aRequest, byKey, limitsBench, taking } from './quotas/requests.ts';
import { revivedByUse, type SessionsInUse } from './quotas/sessions.ts';
import { admittedInTwoMinutes } from './quotas/windows.ts';

// The checks of the contract must be able to fail: desks with the usual mistakes are caught by them.

test('a window that is read and then written admits too many', async () => {
  const request = aRequest({ addressPerMinute: 10 });
  expect(await admittedAtOnce(readThenWrite(), 25, () => request)).toBeGreaterThan(10);
});

test('a pool that is read and then written gives too much', async () => {
  const request = aRequest({ ...taking('query', 20), addressPerMinute: 20 });
  expect(await admittedAtOnce(readThenWrite(), 40, () => request)).toBeGreaterThan(20);
});

test('a day that is read and then written keeps too much, of an owner and of a network', async () => {
  const counts = new Map<KeptSubject, number>();
  const reading: Pick<KeptStore, 'keep'> = {
    async keep({ subjects }) {
      const used = subjects.map((subject) => counts.get(subject) ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
      const full = subjects.find(({ most }, place) => (used[place] ?? 0) >= most.rows);
      if (full) return { subject: full, used: { rows: full.most.rows, bytes: 0 }, at: new Date() };
      subjects.forEach((subject, place) => {
        counts.set(subject, (used[place] ?? 0) + 1);
      });
      return null;
    },
  };
  const { mostOfOwner, ofNetwork } = await keptAtOnce(reading);
  expect([mostOfOwner > 3, ofNetwork > 10]).toEqual([true, true]);
});

test('credit that is earned at each end, without a ledger, is earned again', async () => {
  let credit = 0;
  const evaluations = {
    async endEvaluations(ends: readonly EvaluationEnd[]) {
      credit += 10 * ends.length;
      return [];
    },
  };
  const end = { record_id: 'dec_20260302_0000abcd' } as EvaluationEnd;
  expect(await creditAfterManyEnds(evaluations, [end], async () => credit)).toBeGreaterThan(10);
});

test('a session that is read and then written back undoes a logout', async () => {
  const session = aSessionOf(anOwner());
  expect(await revivedByUse(sessionsWrittenBack(session), session)).toBe(true);
});

describe.each(decisionAdapters)('planted faults are caught on $name', (adapter) => {
  const bench = limitsBench(adapter);

  test('a unit that is given back to today, whenever it was taken, makes today larger', async () => {
    const request = byKey(await bench.key(), taking('query', 2));
    const desk = givingBackToday(bench.desk());
    const { todayAfter, verdicts } = await givenBackOverMidnight({ ...bench, desk: () => desk }, 0, request);
    expect([todayAfter, verdicts]).not.toEqual([1, ['admitted', 'quota']]);
  });

  test('a unit that is never given back is missing', async () => {
    const request = byKey(await bench.key(), taking('check', 5, 'dec_20260302_0000abcd'));
    const losing = { ...bench.desk(), giveBack: async () => ({ day: '', used: 0, credit: 0, at: new Date() }) };
    expect(await unitsAfterChurn({ desk: () => losing }, request)).toBeLessThan(5);
  });

  test('what is counted outside of its transaction is not given back', async () => {
    const { transaction, kept } = bench.storage();
    const counted: typeof transaction = async (work) => work({ ...bench.storage(), kept } as Stores);
    expect(await keptWithFailures(counted)).toBeLessThan(5);
    expect(await keptWithFailures(transaction)).toBe(5);
  });

  test('a denial that is remembered beyond its window refuses requests that should pass', async () => {
    const request = byKey(await bench.key(), { callerLimits: { per_second: 5, per_minute: 5 } });
    expect(await admittedInTwoMinutes(bench, denyingForEver(bench.desk()), request)).toEqual([5, 0]);
  });

  test('a desk that remembers the callers it admitted admits a revoked key', async () => {
    const ways = { apiKeys: bench.storage().apiKeys, desk: rememberingCallers(bench.desk()) };
    expect((await admittedAfterRevocation(ways, await bench.key())).after).toBeGreaterThan(0);
  });
});

function readThenWrite(): Pick<AdmissionDesk, 'admit'> {
  let used = 0;
  return {
    async admit({ addressPerMinute }) {
      const before = used;
      await new Promise((resolve) => setImmediate(resolve));
      const rate = { limit: addressPerMinute, remaining: 0, reset: new Date() };
      const counts = { caller: null, rate, quota: null, at: new Date() };
      if (before >= addressPerMinute) return { verdict: 'rate', ...counts };
      used = before + 1;
      return { verdict: 'admitted', ...counts, spent: null };
    },
  };
}

function sessionsWrittenBack(session: Session): SessionsInUse {
  const { owner_id } = session;
  const stored = new Set([session]);
  return {
    sessions: { destroy: async () => stored.delete(session) },
    desk: {
      async admit() {
        const found = stored.has(session);
        await new Promise((resolve) => setImmediate(resolve));
        if (!found) return { verdict: 'no_active_owner' };
        stored.add(session);
        const caller = { credential: 'legacy_session', owner_id, role: 'owner', tier: 'free' } as const;
        const rate = { limit: 1, remaining: 0, reset: new Date() };
        return { verdict: 'admitted', caller, rate, quota: null, spent: null, at: new Date() };
      },
    },
  };
}

function rememberingCallers(desk: AdmissionDesk): Pick<AdmissionDesk, 'admit'> {
  let known: Caller | null = null;
  return {
    async admit(request) {
      const admission = await desk.admit(request);
      if (admission.verdict === 'no_active_owner') return admission;
      known ??= admission.caller;
      return { ...admission, caller: known };
    },
  };
}

function givingBackToday(desk: AdmissionDesk): AdmissionDesk {
  let today = '';
  return {
    ...desk,
    async admit(request) {
      const admission = await desk.admit(request);
      if (admission.verdict === 'admitted') today = admission.spent?.day ?? today;
      return admission;
    },
    giveBack: (spent) => desk.giveBack({ ...spent, day: today }),
  };
}

function denyingForEver(desk: AdmissionDesk): Pick<AdmissionDesk, 'admit'> {
  let denial: Awaited<ReturnType<AdmissionDesk['admit']>> | undefined;
  return {
    async admit(request) {
      const admission = denial ?? (await desk.admit(request));
      if (admission.verdict === 'rate') denial = admission;
      return admission;
    },
  };
}
