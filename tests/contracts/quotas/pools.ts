import { beforeEach, expect, test } from '@jest/globals';
import type { Spent } from '../../../domain/quotas/admission.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aKeyOf, anOwner } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { NOON } from '../decisions/adapters.ts';
import { admittedAtOnce, aRequest, byKey, inTurn, type Judged, judged, type LimitsBench, taking } from './requests.ts';

const POOLS = { queryPerDay: 20, readPerDay: 200, checkPerDecision: 20 };
const RECORD = 'dec_20260302_0000abcd';
const MIDNIGHT = DAY / 2;

/** Daily pools of an owner: never exceeded, refused units not spent, units given back to their day. */
export function poolContract(bench: LimitsBench): void {
  let day = 0;
  // Each test on a day of its own, at its noon.
  beforeEach(() => {
    day += 30 * DAY;
    return bench.at(day);
  });

  test('of 40 that take from a pool of 20 through several keys at once, 20 are served', async () => {
    const key = await bench.key();
    const keys = [key, await bench.key(key), await bench.key(key)];
    const one = (worker: number) => byKey(keys[worker % 3] ?? key, taking('query', 20));
    expect(await admittedAtOnce(bench.desk(), 40, one)).toBe(20);
    const full = await judged(bench.desk(), byKey(key, taking('query', 20)));
    expect(full).toMatchObject({ verdict: 'quota', quota: { used: 20, credit: 0 } });
    const usage = await bench.storage().quotas.usage(key.owner_id, POOLS);
    expect(usage.query).toMatchObject({ limit: 20, used: 20, credit: 0, remaining: 0 });
    expect(usage.query.reset).toEqual(new Date(NOON.getTime() + day + MIDNIGHT));
    expect(usage.read).toMatchObject({ limit: 200, used: 0, remaining: 200 });
    expect(usage.check).toEqual({ limit_per_decision: 20 });
  });

  test('a pool that was made smaller than its use gives nothing, and one that is large again gives the rest', async () => {
    const key = await bench.key();
    expect(await inTurn(bench.desk(), 3, byKey(key, taking('read', 5)))).toEqual(['admitted', 'admitted', 'admitted']);
    const smaller = await judged(bench.desk(), byKey(key, taking('read', 2)));
    expect(smaller).toMatchObject({ verdict: 'quota', quota: { used: 3 } });
    expect(await inTurn(bench.desk(), 2, byKey(key, taking('read', 4)))).toEqual(['admitted', 'quota']);
  });

  test('the used counts of requests that race have no gap', async () => {
    const key = await bench.key();
    const admissions = await race(20, () => judged(bench.desk(), byKey(key, taking('read', 200))));
    const used = admissions.map(({ quota }) => quota?.used ?? 0).sort((a, b) => a - b);
    expect(used).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  test('each decision has a pool of checks of its own', async () => {
    const key = await bench.key();
    for (const record of [RECORD, 'dec_20260302_0000beef']) {
      const served = await admittedAtOnce(bench.desk(), 25, () => byKey(key, taking('check', 20, record)));
      expect(served).toBe(20);
    }
  });

  test('owners have pools of their own, and the address none', async () => {
    const [one, other] = [await bench.key(), await bench.key()];
    expect(await inTurn(bench.desk(), 2, byKey(one, taking('query', 1)))).toEqual(['admitted', 'quota']);
    expect(await inTurn(bench.desk(), 1, byKey(other, taking('query', 1)))).toEqual(['admitted']);
    const nobody = { ...byKey(one, taking('query', 0)), proof: null };
    expect(await judged(bench.desk(), nobody)).toMatchObject({ verdict: 'admitted', caller: null, quota: null });
  });

  test('a request for units with an unknown key does not affect other requests at the same time', async () => {
    const [key, never] = [await bench.key(), aKeyOf(anOwner())];
    const requestOf = (worker: number) => byKey(worker % 2 === 0 ? key : never, taking('read', 200));
    const admissions = await race(40, (worker) => judged(bench.desk(), requestOf(worker)));
    expect(admissions.map(({ verdict, caller }) => [verdict, caller?.owner_id ?? null])).toEqual(
      admissions.map((_, worker) => ['admitted', worker % 2 === 0 ? key.owner_id : null]),
    );
    expect(admissions.filter(({ quota }) => quota === null)).toHaveLength(20);
    expect((await bench.storage().quotas.usage(key.owner_id, POOLS)).read.used).toBe(20);
  });

  test('a request that the rate refuses takes nothing', async () => {
    const key = await bench.key();
    const callerLimits = { per_second: 3, per_minute: 3 };
    expect(await admittedAtOnce(bench.desk(), 20, () => byKey(key, { ...taking('read', 200), callerLimits }))).toBe(3);
    expect((await bench.storage().quotas.usage(key.owner_id, POOLS)).read.used).toBe(3);
  });

  test('a request for no unit returns the state of the pool and takes nothing', async () => {
    const key = await bench.key();
    const looking = byKey(key, { spend: { pool: 'read', record_id: null, base: 200, units: 0 } });
    expect((await judged(bench.desk(), looking)).quota).toMatchObject({ used: 0, credit: 0 });
    await inTurn(bench.desk(), 2, byKey(key, taking('read', 200)));
    expect(await judged(bench.desk(), looking)).toMatchObject({ verdict: 'admitted', spent: null, quota: { used: 2 } });
    await inTurn(bench.desk(), 1, byKey(key, taking('query', 1)));
    const empty = byKey(key, { spend: { pool: 'query', record_id: null, base: 1, units: 0 } });
    expect((await judged(bench.desk(), empty)).verdict).toBe('admitted');
  });

  test('units that are given back can be taken again, also in a race', async () => {
    const key = await bench.key();
    for (const [pool, record_id] of [
      ['read', null],
      ['check', RECORD],
    ] as const) {
      const request = byKey(key, taking(pool, 20, record_id));
      const spent = await race(20, async () => spentOf(await judged(bench.desk(), request)));
      await race(20, (worker) => bench.desk().giveBack(spent[worker] ?? spentOf(undefined)));
      expect(await admittedAtOnce(bench.desk(), 30, () => request)).toBe(20);
    }
  });

  test('taking and giving back at once neither loses a unit nor makes one', async () => {
    const key = await bench.key();
    expect(await unitsAfterChurn(bench, byKey(key, taking('check', 5, RECORD)))).toBe(5);
  });

  test('giving back returns the state of the pool', async () => {
    const key = await bench.key();
    const spent = spentOf(await judged(bench.desk(), byKey(key, taking('check', 20, RECORD))));
    await inTurn(bench.desk(), 1, byKey(key, taking('check', 20, RECORD)));
    expect(await bench.desk().giveBack(spent)).toMatchObject({ used: 1, credit: 0, day: spent.day });
    expect(await bench.desk().giveBack(spent)).toMatchObject({ used: 0 });
    expect(await bench.desk().giveBack(spent)).toMatchObject({ used: 0 });
  });

  test('a new day begins at 00:00 UTC, and a unit of the day before goes back to that day', async () => {
    const key = await bench.key();
    const request = byKey(key, taking('query', 2));
    expect(await givenBackOverMidnight(bench, day, request)).toEqual({
      todayAfter: 1,
      verdicts: ['admitted', 'quota'],
    });
    await bench.at(day + MIDNIGHT - SECOND);
    expect(await inTurn(bench.desk(), 2, request)).toEqual(['admitted', 'quota']);
  });

  test('a clock that is set back finds the day as it was left', async () => {
    const key = await bench.key();
    const request = byKey(key, taking('query', 2));
    await inTurn(bench.desk(), 2, request);
    await bench.at(day + DAY);
    expect(await inTurn(bench.desk(), 1, request)).toEqual(['admitted']);
    await bench.at(day);
    expect(await inTurn(bench.desk(), 1, request)).toEqual(['quota']);
  });

  test('pruning opens no day, not even when the clock is set back to a deleted one', async () => {
    const key = await bench.key();
    const request = byKey(key, taking('query', 2));
    await inTurn(bench.desk(), 2, request);
    for (const days of [6, 7, 8, 9, 10]) {
      await bench.at(day + days * DAY);
      await bench.desk().prune();
    }
    await bench.at(day);
    const { quota } = await judged(bench.desk(), request);
    expect(quota?.day).toBe(new Date(NOON.getTime() + day + 10 * DAY).toISOString().slice(0, 10));
  });

  test('pruning deletes the window of an address an hour after its minute, and a day a week after its end', async () => {
    /** Deletes by the clock as it is: the floor that is in force is that of the call before. */
    const prunedAt = async (millis: number) => {
      await bench.at(millis);
      return (await bench.desk().prune()) + (await bench.desk().prune());
    };
    await prunedAt(day);
    await inTurn(bench.desk(), 1, aRequest());
    await inTurn(bench.desk(), 1, byKey(await bench.key(), taking('query', 2)));
    expect(await prunedAt(day + HOUR)).toBe(0);
    expect(await prunedAt(day + HOUR + MINUTE)).toBe(1);
    expect(await prunedAt(day + MIDNIGHT + 7 * DAY + HOUR - MINUTE)).toBe(0);
    expect(await prunedAt(day + MIDNIGHT + 7 * DAY + HOUR)).toBe(1);
  });
}

function spentOf(admission: Judged | undefined): Spent {
  if (admission?.verdict !== 'admitted' || admission.spent === null) throw new Error('Nothing was taken.');
  return admission.spent;
}

/** Takes one of two units before midnight and gives it back after one was taken on the new day; what that day admits. */
export async function givenBackOverMidnight(
  bench: Pick<LimitsBench, 'desk' | 'at'>,
  day: number,
  request: Parameters<typeof judged>[1],
) {
  await bench.at(day + MIDNIGHT - SECOND);
  const spent = spentOf(await judged(bench.desk(), request));
  await judged(bench.desk(), request);
  await bench.at(day + MIDNIGHT);
  await judged(bench.desk(), request);
  const { used } = await bench.desk().giveBack(spent);
  return { todayAfter: used, verdicts: await inTurn(bench.desk(), 2, request) };
}

/** 20 workers take and give back over and over; how many can be served once all is given back. */
export async function unitsAfterChurn(bench: Pick<LimitsBench, 'desk'>, request: Parameters<typeof judged>[1]) {
  await race(20, async () => {
    for (let i = 0; i < 5; i += 1) {
      const admission = await judged(bench.desk(), request);
      if (admission.verdict === 'admitted') await bench.desk().giveBack(spentOf(admission));
    }
  });
  return admittedAtOnce(bench.desk(), 20, () => request);
}
