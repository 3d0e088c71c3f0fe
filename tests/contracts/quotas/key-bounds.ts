import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey } from '../../../domain/accounts/api-key.ts';
import { SECOND } from '../../../domain/time.ts';
import { aKeyOf } from '../../builders/accounts.ts';
import { callerByKey } from '../../harness/known-callers.ts';
import { race } from '../adapters.ts';
import { NOON } from '../decisions/adapters.ts';
import { aRequest, byKey, judged, type LimitsBench, taking } from './requests.ts';

/** What the bounds of a key refuse, at the moment of the request. */
export function keyBoundsContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));

  async function boundKey(changes: Partial<ApiKey>): Promise<ApiKey> {
    const { owner_id } = await bench.key();
    const key = aKeyOf({ owner_id }, changes);
    await bench.storage().apiKeys.add(key, 100);
    return key;
  }
  const expiring = (millis: number) => boundKey({ expires_at: new Date(NOON.getTime() + millis) });
  const refusedAs = ({ owner_id, key_prefix }: ApiKey) => ({ bar: 'expired', owner_id, key_prefix });

  test('a key works until the millisecond of its expiry, by the clock of the storage', async () => {
    const key = await expiring(SECOND);
    await bench.at(SECOND - 1);
    expect(await callerByKey(bench.desk(), key)).toMatchObject({ key_prefix: key.key_prefix });
    await bench.at(SECOND);
    const { caller, barred } = await judged(bench.desk(), byKey(key));
    expect([caller, barred]).toEqual([null, refusedAs(key)]);
  });

  test('a request that is refused counts for its address, takes no unit, and leaves the windows of the key', async () => {
    const key = await expiring(SECOND);
    const callerLimits = { per_second: 10, per_minute: 3 };
    await bench.desk().admit(byKey(key, { callerLimits }));
    await bench.at(SECOND);
    const { address } = aRequest();
    const late = { ...byKey(key, { callerLimits, ...taking('read', 1) }), address, addressPerMinute: 5 };
    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await judged(bench.desk(), late)).toMatchObject({ verdict: 'admitted', rate: { remaining }, quota: null });
    }
    expect(await judged(bench.desk(), late)).toMatchObject({ verdict: 'rate', caller: null });
    const mate = await bench.key(key);
    expect(await judged(bench.desk(), byKey(mate, taking('read', 1)))).toMatchObject({ quota: { used: 1 } });
    await bench.at(SECOND - 1);
    expect(await judged(bench.desk(), byKey(key, { callerLimits }))).toMatchObject({ rate: { remaining: 1 } });
  });

  test('a revoked key is unknown, whether it has expired or not', async () => {
    const key = await expiring(SECOND);
    await bench.storage().apiKeys.revoke(key.owner_id, key.key_prefix);
    await bench.at(SECOND);
    expect(await judged(bench.desk(), byKey(key))).not.toHaveProperty('barred');
  });

  test('of many at once each is judged by its own key', async () => {
    const [working, expired] = [await expiring(2 * SECOND), await expiring(SECOND)];
    await bench.at(SECOND);
    const answers = await race(60, (worker) => judged(bench.desk(), byKey(worker % 2 ? working : expired)));
    expect(answers.map(({ caller, barred }) => caller?.credential ?? barred)).toEqual(
      answers.map((_, worker) => (worker % 2 ? 'api_key' : refusedAs(expired))),
    );
  });
}
