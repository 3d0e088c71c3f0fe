import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
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

  describe('networks', () => {
    const ALLOWED = ['192.0.2.0/24', '198.51.100.7/32', '2001:db8::/33', '::/127'];
    const INSIDE = ['192.0.2.0', '192.0.2.255', '198.51.100.7', '2001:db8:7fff::1', '::1'];
    const OUTSIDE = ['192.0.1.255', '192.0.3.0', '198.51.100.6', '2001:db8:8000::', '::2', '0.0.0.1', null];

    test('a key works from its networks alone, whatever is asked at the same time', async () => {
      const [bound, free] = [await boundKey({ allowed_networks: ALLOWED }), await bench.key()];
      const asked = [...INSIDE, ...OUTSIDE].flatMap((from) => [
        { key: bound, from },
        { key: free, from },
      ]);
      const barOf = async ({ key, from }: (typeof asked)[number]) => {
        const { caller, barred } = await judged(bench.desk(), byKey(key, { from }));
        return caller?.credential ?? barred?.bar;
      };
      const expected = asked.map(({ key, from }) =>
        key === free || INSIDE.includes(from ?? '') ? 'api_key' : 'network',
      );
      expect(await Promise.all(asked.map(barOf))).toEqual(expected);
      const spending = { ...taking('read', 100) };
      const bars = asked.map(async ({ key, from }) => {
        const { caller, barred } = await judged(bench.desk(), byKey(key, { from, ...spending }));
        return caller?.credential ?? barred?.bar;
      });
      expect(await Promise.all(bars)).toEqual(expected);
      const { quota } = await judged(bench.desk(), byKey(bound, { from: INSIDE[0] ?? '', ...spending }));
      expect(quota?.used).toBe(INSIDE.length + 1);
    });

    test('requests from elsewhere leave the windows of the key', async () => {
      const key = await boundKey({ allowed_networks: ALLOWED });
      const callerLimits = { per_second: 2, per_minute: 2 };
      const late = byKey(key, { callerLimits, from: '192.0.3.0', addressPerMinute: 2 });
      expect((await judged(bench.desk(), late)).verdict).toBe('admitted');
      expect((await judged(bench.desk(), late)).verdict).toBe('admitted');
      expect((await judged(bench.desk(), late)).verdict).toBe('rate');
      const good = await judged(bench.desk(), byKey(key, { callerLimits, from: '192.0.2.1' }));
      expect(good).toMatchObject({ verdict: 'admitted', rate: { remaining: 1 } });
    });

    test('a change applies to every request that begins after it, and a successor inherits the networks', async () => {
      const { apiKeys } = bench.storage();
      const key = await boundKey({});
      const { owner_id, key_prefix } = key;
      const barOf = async (each: Pick<ApiKey, 'key_hash'>, from: string) =>
        (await judged(bench.desk(), byKey({ ...key, ...each }, { from }))).barred?.bar;
      expect(await apiKeys.change(owner_id, key_prefix, { allowed_networks: ALLOWED })).toMatchObject({
        allowed_networks: ALLOWED,
      });
      expect([await barOf(key, '192.0.2.1'), await barOf(key, '192.0.3.1')]).toEqual([undefined, 'network']);
      const { key_prefix: name, key_hash } = aKeyOf(key);
      const successor = { key_prefix: name, key_hash, created_at: NOON, expires_at: null };
      expect(await apiKeys.rotate(owner_id, key_prefix, successor)).toMatchObject({ allowed_networks: ALLOWED });
      expect(await apiKeys.list(owner_id)).toContainEqual(expect.objectContaining({ allowed_networks: ALLOWED }));
      expect([await barOf(successor, '192.0.2.1'), await barOf(successor, '192.0.3.1')]).toEqual([
        undefined,
        'network',
      ]);
      expect(await apiKeys.change(owner_id, name, { allowed_networks: null })).toMatchObject({
        allowed_networks: null,
      });
      expect(await barOf(successor, '192.0.3.1')).toBeUndefined();
      expect(await apiKeys.change(owner_id, key_prefix, { allowed_networks: null })).toBeNull();
    });
  });
}
