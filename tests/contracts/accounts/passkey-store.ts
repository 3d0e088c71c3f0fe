import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PasskeyChallenge, PasskeyStore } from '../../../domain/accounts/factors/passkey.ts';
import { MINUTE } from '../../../domain/time.ts';
import { anOwner, aPasskeyOf } from '../../builders/accounts.ts';
import { type DecisionAdapter, NOON, type OpenedDecisions } from '../decisions/adapters.ts';
import { acceptedAtOnce } from './factor-store.ts';

/** The promises of a store of passkeys and their challenges, by a clock that the test moves. */
export function passkeyStoreContract(adapter: DecisionAdapter): void {
  let opened: OpenedDecisions;
  let passkeys: PasskeyStore;
  beforeAll(async () => {
    opened = await adapter.open();
    passkeys = opened.storage.passkeys;
  });
  afterAll(() => opened.close());

  const after = (millis: number) => opened.arrange.freeze(new Date(NOON.getTime() + millis));
  async function added(changes: Parameters<typeof aPasskeyOf>[1] = {}) {
    await after(0);
    const owner = anOwner();
    await opened.storage.owners.add(owner);
    const passkey = aPasskeyOf(owner, changes);
    expect(await passkeys.add(passkey)).toBe(true);
    return passkey;
  }
  async function begun(changes: Partial<PasskeyChallenge> = {}): Promise<PasskeyChallenge> {
    await after(0);
    const challenge = aChallenge(changes);
    await passkeys.addChallenge(challenge);
    return challenge;
  }
  const take = ({ challenge_hash, bound_to, purpose }: PasskeyChallenge) =>
    passkeys.takeChallenge(challenge_hash, bound_to, purpose);

  test('a passkey is found as it was added, by its owner and by its credential', async () => {
    const passkey = await added({ counter: 4_294_967_295 });
    const [listed] = await passkeys.list(passkey.owner_id);
    expect(plain(listed)).toEqual(plain(passkey));
    expect(plain(await passkeys.findCredential(passkey.credential_id))).toEqual(plain(passkey));
    expect((await opened.storage.factors.of(passkey.owner_id)).passkeys).toHaveLength(1);
    expect(await passkeys.findCredential('another')).toBeNull();
  });

  test('a credential is that of one passkey alone, also of another owner', async () => {
    const [mine, other] = [await added(), await added()];
    expect(await passkeys.add({ ...aPasskeyOf(other), credential_id: mine.credential_id })).toBe(false);
    expect(await passkeys.list(other.owner_id)).toHaveLength(1);
  });

  test('those of an owner are listed, the oldest first', async () => {
    const first = await added();
    const second = { ...aPasskeyOf(first), created_at: new Date(NOON.getTime() + 1) };
    await passkeys.add(second);
    const ids = (await passkeys.list(first.owner_id)).map(({ passkey_id }) => passkey_id);
    expect(ids).toEqual([first.passkey_id, second.passkey_id]);
  });

  test('a login needs a greater counter than the last one, and is noted', async () => {
    const { passkey_id, credential_id } = await added({ counter: 5 });
    await after(MINUTE);
    const uses = [5, 4, 0, 6, 6].map((counter) => () => passkeys.use(passkey_id, counter, true));
    const accepted = [];
    for (const use of uses) accepted.push(await use());
    expect(accepted).toEqual([false, false, false, true, false]);
    expect(await passkeys.findCredential(credential_id)).toMatchObject({
      counter: 6,
      synced: true,
      last_used_at: new Date(NOON.getTime() + MINUTE),
    });
  });

  test('an authenticator that does not count is accepted at 0 until it counts', async () => {
    const { passkey_id } = await added({ counter: 0 });
    expect([await passkeys.use(passkey_id, 0, false), await passkeys.use(passkey_id, 0, false)]).toEqual([true, true]);
    expect([await passkeys.use(passkey_id, 1, false), await passkeys.use(passkey_id, 0, false)]).toEqual([true, false]);
  });

  test('of 20 logins at once by one counter one succeeds', async () => {
    const { passkey_id } = await added({ counter: 5 });
    expect(await acceptedAtOnce(() => passkeys.use(passkey_id, 6, false))).toBe(1);
  });

  test('a passkey is renamed and removed by its owner alone', async () => {
    const [{ owner_id, passkey_id }, other] = [await added(), await added()];
    expect(await passkeys.rename(other.owner_id, passkey_id, 'Mine')).toBeNull();
    expect(await passkeys.rename(owner_id, passkey_id, 'Phone')).toMatchObject({ passkey_id, name: 'Phone' });
    expect(await passkeys.remove(other.owner_id, passkey_id)).toBe(false);
    expect([await passkeys.remove(owner_id, passkey_id), await passkeys.remove(owner_id, passkey_id)]).toEqual([
      true,
      false,
    ]);
    expect([await passkeys.use(passkey_id, 9, false), await passkeys.list(owner_id)]).toEqual([false, []]);
  });

  test('passkeys end with a reset, and with their owner', async () => {
    const [first, second, other] = [await added(), await added(), await added()];
    expect(await opened.storage.factors.reset(first.owner_id)).toBe(true);
    await opened.operators.ownerAdministration.remove(second.owner_id);
    const left = await Promise.all([first, second, other].map(({ owner_id }) => passkeys.list(owner_id)));
    expect(left.map(({ length }) => length)).toEqual([0, 0, 1]);
  });

  test('a challenge is taken once, for its purpose, by its client', async () => {
    const [challenge, other] = [await begun(), await begun()];
    expect(await passkeys.takeChallenge(challenge.challenge_hash, other.bound_to, 'login')).toBe(false);
    expect(await passkeys.takeChallenge(challenge.challenge_hash, challenge.bound_to, 'registration')).toBe(false);
    expect([await take(challenge), await take(challenge)]).toEqual([true, false]);
    expect(await take(aChallenge())).toBe(false);
    await expect(passkeys.addChallenge(other)).rejects.toThrow();
  });

  test('a challenge ends after five minutes', async () => {
    const [early, late] = [await begun(), await begun()];
    await after(5 * MINUTE - 1);
    expect(await take(early)).toBe(true);
    await after(5 * MINUTE);
    expect(await take(late)).toBe(false);
  });

  test('of 20 who answer one challenge at once, one gets it', async () => {
    const challenge = await begun();
    expect(await acceptedAtOnce(() => take(challenge))).toBe(1);
  });

  test('pruning removes what has expired, and nothing else', async () => {
    await after(100 * MINUTE);
    await passkeys.pruneChallenges();
    await begun();
    const fresh = await begun({ created_at: new Date(NOON.getTime() + 1) });
    await after(5 * MINUTE);
    expect(await passkeys.pruneChallenges()).toBe(1);
    expect(await take(fresh)).toBe(true);
  });
}

function aChallenge(changes: Partial<PasskeyChallenge> = {}): PasskeyChallenge {
  const hashes = { challenge_hash: randomBytes(32), bound_to: randomBytes(32) };
  return { ...hashes, purpose: 'login', created_at: NOON, ...changes };
}

function plain(passkey: { readonly public_key: Uint8Array } | null | undefined) {
  return passkey && { ...passkey, public_key: Buffer.from(passkey.public_key).toString('hex') };
}
