import { beforeEach, expect, test } from '@jest/globals';
import type { HeldCredential, Proof } from '../../../domain/quotas/admission.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aKeyOf, anIdentityOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { NOON } from '../decisions/adapters.ts';
import { byKey, judged, type LimitsBench } from './requests.ts';

/** Whether a credential of a request that goes on would still be accepted. */
export function heldCredentialContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));

  const held = (proof: Proof, from: string | null = null): HeldCredential => ({ proof, from });
  const ofKey = ({ key_hash }: { readonly key_hash: Uint8Array }, from: string | null = null) =>
    held({ credential: 'api_key', key_hash }, from);
  const judge = (...each: readonly HeldCredential[]) => bench.desk().judgeAgain(each);

  async function someone() {
    const owner = anOwner({ email: null, password_hash: null });
    const identity = anIdentityOf(owner);
    await bench.storage().identities.addOwner(identity, owner);
    const session = aSessionOf(owner, { created_at: NOON });
    await bench.storage().sessions.add(session);
    const key = aKeyOf(owner);
    await bench.storage().apiKeys.add(key, 100);
    const { session_hash } = session;
    const all = [
      ofKey(key),
      held({ credential: 'legacy_session', session_hash }),
      held({ credential: 'owner_bearer', identity }),
    ];
    return { owner, key, session, all };
  }

  test('of many at once each is judged by itself, in their order', async () => {
    const [{ all, key, session }, unknown] = [await someone(), anOwner()];
    const strange = [
      ofKey(aKeyOf(unknown)),
      held({ credential: 'legacy_session', session_hash: aSessionOf(unknown).session_hash }),
      held({ credential: 'owner_bearer', identity: anIdentityOf(unknown) }),
    ];
    const mixed = all.flatMap((each, n) => [each, strange[n] as HeldCredential]);
    expect(await judge(...mixed)).toEqual([true, false, true, false, true, false]);
    expect(await judge()).toEqual([]);
    await bench.storage().apiKeys.revoke(key.owner_id, key.key_prefix);
    expect(await judge(...all)).toEqual([false, true, true]);
    await bench.storage().sessions.destroy(session.session_hash);
    expect(await judge(...all)).toEqual([false, false, true]);
  });

  test('of a suspended owner none is accepted', async () => {
    const [suspended, other] = [await someone(), await someone()];
    await bench.operators().ownerAdministration.suspend(suspended.owner.owner_id);
    expect(await judge(...suspended.all, ...other.all)).toEqual([false, false, false, true, true, true]);
  });

  test('a key is judged by its expiry and its networks', async () => {
    const { owner_id } = await bench.key();
    const [expiring, bound] = [
      aKeyOf({ owner_id }, { expires_at: new Date(NOON.getTime() + SECOND) }),
      aKeyOf({ owner_id }, { allowed_networks: ['192.0.2.0/24'] }),
    ];
    for (const key of [expiring, bound]) await bench.storage().apiKeys.add(key, 100);
    const all = [ofKey(expiring), ofKey(bound, '192.0.2.9'), ofKey(bound, '198.51.100.1'), ofKey(bound)];
    await bench.at(SECOND - 1);
    expect(await judge(...all)).toEqual([true, true, false, false]);
    await bench.at(SECOND);
    expect(await judge(...all)).toEqual([false, true, false, false]);
  });

  test('a session that is not used otherwise is over after 12 hours: nothing is noted, and nothing is counted', async () => {
    const { all, key, owner } = await someone();
    await bench.at(12 * HOUR - MINUTE);
    expect(await judge(...all)).toEqual([true, true, true]);
    expect((await bench.storage().sessions.list(owner.owner_id))[0]?.last_seen_at).toEqual(NOON);
    const callerLimits = { per_second: 10, per_minute: 10 };
    expect((await judged(bench.desk(), byKey(key, { callerLimits }))).rate.remaining).toBe(9);
    await bench.at(12 * HOUR);
    expect(await judge(...all)).toEqual([true, false, true]);
  });
}
