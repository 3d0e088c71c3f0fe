import { beforeEach, expect, test } from '@jest/globals';
import type { AdmissionDesk, AdmissionRequest } from '../../../domain/quotas/admission.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { anOwner, aSessionOf } from '../../builders/accounts.ts';
import { randomName } from '../../builders/decisions.ts';
import { NOON } from '../decisions/adapters.ts';
import { admittedAtOnce, aRequest, byKey, inTurn, judged, type LimitsBench } from './requests.ts';

const CONTRACT = { callerLimits: { per_second: 10, per_minute: 60 } };

/** Rate windows: fixed, by the database's clock, exact for any number of callers at once. */
export function windowContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));
  const after = (millis: number) => new Date(NOON.getTime() + millis);

  test('of 25 requests of a key at once 10 are admitted, and 60 in the minute', async () => {
    const key = await bench.key();
    const admitted: number[] = [];
    for (let second = 0; second < 8; second += 1) {
      await bench.at(second * SECOND);
      admitted.push(await admittedAtOnce(bench.desk(), 25, () => byKey(key, CONTRACT)));
    }
    expect(admitted).toEqual([10, 10, 10, 10, 10, 10, 0, 0]);
    await bench.at(MINUTE);
    expect(await admittedAtOnce(bench.desk(), 25, () => byKey(key, CONTRACT))).toBe(10);
  });

  test('the smaller window is returned, with its end', async () => {
    const key = await bench.key();
    const first = await judged(bench.desk(), byKey(key, CONTRACT));
    expect(first.rate).toEqual({ limit: 60, remaining: 9, reset: after(SECOND) });
    const even = await judged(
      bench.desk(),
      byKey(await bench.key(), { callerLimits: { per_second: 5, per_minute: 5 } }),
    );
    expect(even.rate).toEqual({ limit: 5, remaining: 4, reset: after(MINUTE) });
  });

  test('a refused caller is admitted again when the window has ended', async () => {
    const request = byKey(await bench.key(), { callerLimits: { per_second: 5, per_minute: 5 } });
    expect(await admittedInTwoMinutes(bench, bench.desk(), request)).toEqual([5, 5]);
  });

  test('the remaining counts of requests that race have no gap', async () => {
    const key = await bench.key();
    const request = byKey(key, { callerLimits: { per_second: 40, per_minute: 40 } });
    const admissions = await Promise.all(Array.from({ length: 20 }, () => judged(bench.desk(), request)));
    expect(admissions.map(({ rate }) => rate.remaining).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => 20 + i),
    );
  });

  test('a refusal returns the end of the full window and counts nothing', async () => {
    const key = await bench.key();
    const request = byKey(key, { callerLimits: { per_second: 3, per_minute: 5 } });
    expect(await inTurn(bench.desk(), 5, request)).toEqual(['admitted', 'admitted', 'admitted', 'rate', 'rate']);
    expect((await judged(bench.desk(), request)).rate).toEqual({ limit: 5, remaining: 0, reset: after(SECOND) });
    await bench.at(SECOND);
    expect(await inTurn(bench.desk(), 3, request)).toEqual(['admitted', 'admitted', 'rate']);
    expect((await judged(bench.desk(), request)).rate).toEqual({ limit: 5, remaining: 0, reset: after(MINUTE) });
  });

  test('keys of one owner have windows of their own; sessions of one owner share theirs', async () => {
    const key = await bench.key();
    const mate = await bench.key(key);
    const callerLimits = { per_second: 2, per_minute: 2 };
    for (const each of [key, mate]) {
      expect(await inTurn(bench.desk(), 3, byKey(each, { callerLimits }))).toEqual(['admitted', 'admitted', 'rate']);
    }
    const owner = anOwner({ owner_id: key.owner_id });
    const sessions = [aSessionOf(owner, { created_at: NOON }), aSessionOf(owner, { created_at: NOON })];
    for (const session of sessions) await bench.storage().sessions.add(session);
    const verdicts: string[] = [];
    for (const { session_hash } of [...sessions, ...sessions]) {
      const request = aRequest({ proof: { credential: 'legacy_session', session_hash }, callerLimits });
      verdicts.push(...(await inTurn(bench.desk(), 1, request)));
    }
    expect(verdicts).toEqual(['admitted', 'admitted', 'rate', 'rate']);
  });

  test('without a valid credential the address is counted, in the minute alone', async () => {
    const address = randomName();
    const unknown = { credential: 'api_key', key_hash: new Uint8Array(32) } as const;
    const requests = [null, unknown].map((proof) => aRequest({ proof, address, addressPerMinute: 3 }));
    const [nobody = aRequest(), stranger = aRequest()] = requests;
    const first = await judged(bench.desk(), nobody);
    expect(first.rate).toEqual({ limit: 3, remaining: 2, reset: after(MINUTE) });
    expect(await inTurn(bench.desk(), 3, stranger)).toEqual(['admitted', 'admitted', 'rate']);
    expect(await inTurn(bench.desk(), 1, nobody)).toEqual(['rate']);
  });

  test('a clock that is set back opens no window', async () => {
    const key = await bench.key();
    const request = byKey(key, { callerLimits: { per_second: 2, per_minute: 3 } });
    expect(await inTurn(bench.desk(), 2, request)).toEqual(['admitted', 'admitted']);
    await bench.at(-10 * SECOND);
    expect(await inTurn(bench.desk(), 1, request)).toEqual(['rate']);
    expect((await judged(bench.desk(), request)).rate.reset).toEqual(after(SECOND));
    await bench.at(SECOND);
    expect(await inTurn(bench.desk(), 2, request)).toEqual(['admitted', 'rate']);
    await bench.at(-5 * MINUTE);
    expect((await judged(bench.desk(), request)).rate).toEqual({ limit: 3, remaining: 0, reset: after(MINUTE) });
  });

  test('pruning opens no window, not even when the clock is set back to a deleted one', async () => {
    const key = await bench.key();
    await bench.at(10 * DAY);
    const start = 10 * DAY;
    const request = byKey(key, { callerLimits: { per_second: 1_000, per_minute: 2 } });
    expect(await inTurn(bench.desk(), 3, request)).toEqual(['admitted', 'admitted', 'rate']);
    await bench.desk().prune();
    expect(await inTurn(bench.desk(), 1, request)).toEqual(['rate']);
    await bench.at(start + 3 * HOUR);
    await bench.desk().prune();
    await bench.at(start + 4 * HOUR);
    await bench.desk().prune();
    await bench.at(start);
    // The window at the deleted time is a new one, and as full as any after its two requests.
    expect(await inTurn(bench.desk(), 3, request)).toEqual(['admitted', 'admitted', 'rate']);
    expect((await judged(bench.desk(), request)).rate.reset).toEqual(after(start + 3 * HOUR + MINUTE));
    await bench.at(start + 4 * HOUR);
    expect(await inTurn(bench.desk(), 1, request)).toEqual(['admitted']);
  });
}

/** Of 20 at once in each of two minutes, how many are admitted. */
export async function admittedInTwoMinutes(
  bench: Pick<LimitsBench, 'at'>,
  desk: Pick<AdmissionDesk, 'admit'>,
  request: AdmissionRequest,
): Promise<number[]> {
  await bench.at(0);
  const first = await admittedAtOnce(desk, 20, () => request);
  await bench.at(MINUTE);
  return [first, await admittedAtOnce(desk, 20, () => request)];
}
