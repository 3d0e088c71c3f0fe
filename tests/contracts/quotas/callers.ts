import { beforeEach, expect, test } from '@jest/globals';
import type { ApiKey, ApiKeyStore } from '../../../domain/accounts/keys/api-key.ts';
import type { AdmissionDesk } from '../../../domain/quotas/admission.ts';
import { MINUTE } from '../../../domain/time.ts';
import { aKeyOf, anAgentOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { callerByKey, callerBySession } from '../../harness/known-callers.ts';
import { race } from '../adapters.ts';
import { NOON } from '../decisions/adapters.ts';
import { aRequest, judged, type LimitsBench } from './requests.ts';

/** Whom a key or an identity stands for, at the moment of the request. */
export function callerContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));

  test('a key speaks for its agent, with the mode and the tier of this moment, until it is revoked', async () => {
    const { owners, apiKeys } = bench.storage();
    const { ownerAdministration } = bench.operators();
    const owner = anOwner();
    const agent = anAgentOf(owner);
    await owners.add(owner);
    await ownerAdministration.setTier(owner.owner_id, 'pro');
    await owners.addAgent(agent, 1);
    const key = aKeyOf(owner, { agent_id: agent.agent_id, permission_mode: 'read_only' });
    await apiKeys.add(key, 5);
    const [{ owner_id }, { agent_id }, { key_prefix }] = [owner, agent, key];
    const known = { credential: 'api_key', owner_id, agent_id, key_prefix, permission_mode: 'read_only', tier: 'pro' };
    expect(await callerByKey(bench.desk(), key)).toEqual(known);
    await apiKeys.change(owner_id, key_prefix, { permission_mode: 'read_write' });
    expect(await callerByKey(bench.desk(), key)).toEqual({ ...known, permission_mode: 'read_write' });
    await ownerAdministration.setTier(owner_id, 'free');
    expect(await callerByKey(bench.desk(), key)).toEqual({ ...known, permission_mode: 'read_write', tier: 'free' });
    await apiKeys.revoke(owner_id, key_prefix);
    expect(await callerByKey(bench.desk(), key)).toBeNull();
  });

  test('the use of a key is noted at most once a minute', async () => {
    const { apiKeys } = bench.storage();
    const { owner_id, key_prefix } = await bench.key();
    const notedAt = async (millis: number) => {
      await bench.at(millis);
      await apiKeys.noteUse([{ key_prefix, network: 'ab12' }]);
      return (await apiKeys.find(owner_id, key_prefix))?.last_used_at;
    };
    expect(await notedAt(0)).toEqual(NOON);
    expect(await notedAt(MINUTE - 1)).toEqual(NOON);
    expect(await notedAt(MINUTE)).toEqual(new Date(NOON.getTime() + MINUTE));
  });

  test('the use of a key from another network is noted at once, and never before a noted one', async () => {
    const { apiKeys } = bench.storage();
    const { owner_id, key_prefix } = await bench.key();
    const notedAt = async (millis: number, network: string | null) => {
      await bench.at(millis);
      await apiKeys.noteUse([{ key_prefix, network }]);
      const { last_used_at, last_used_network } = (await apiKeys.find(owner_id, key_prefix)) ?? {};
      return [Number(last_used_at) - NOON.getTime(), last_used_network];
    };
    expect(await notedAt(0, 'ab12')).toEqual([0, 'ab12']);
    expect(await notedAt(1, 'ab12')).toEqual([0, 'ab12']);
    expect(await notedAt(1, 'cd34')).toEqual([1, 'cd34']);
    expect(await notedAt(2, null)).toEqual([2, null]);
    expect(await notedAt(1, 'ab12')).toEqual([2, null]);
    expect(await notedAt(2 + MINUTE, null)).toEqual([2 + MINUTE, null]);
  });

  test('a hash that no key has identifies no caller', async () => {
    expect(await callerByKey(bench.desk(), aKeyOf(anOwner()))).toBeNull();
  });

  test('a key admits no request that begins after the acknowledgement of its revocation', async () => {
    const key = await bench.key();
    const { apiKeys, admission: desk } = bench.storage();
    expect(await admittedAfterRevocation({ apiKeys, desk }, key)).toEqual({ before: true, after: 0 });
  });

  test('an identity without an owner is a stranger and is not counted; with one it speaks for that owner', async () => {
    const identity = { issuer: 'https://id.example', subject: 'someone' };
    const request = aRequest({ proof: { credential: 'owner_bearer', identity }, addressPerMinute: 1 });
    for (let i = 0; i < 3; i += 1) expect(await bench.desk().admit(request)).toEqual({ verdict: 'no_active_owner' });
    const owner = anOwner({ email: null, password_hash: null });
    await bench.storage().identities.addOwner(identity, owner);
    const { caller } = await judged(bench.desk(), request);
    expect(caller).toEqual({ credential: 'owner_bearer', owner_id: owner.owner_id, role: 'owner', tier: 'free' });
  });

  test('each of many requests at once gets its own caller: by key, by session, or none', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => bench.key()));
    const requests = keys.flatMap((key) => {
      const session = aSessionOf(anOwner({ owner_id: key.owner_id }), { created_at: NOON });
      const stranger = aKeyOf(anOwner());
      return [
        { expected: key.owner_id, session, ask: () => callerByKey(bench.desk(), key) },
        { expected: key.owner_id, session: null, ask: () => callerBySession(bench.desk(), session) },
        { expected: undefined, session: null, ask: () => callerByKey(bench.desk(), stranger) },
      ];
    });
    for (const { session } of requests) if (session) await bench.storage().sessions.add(session);
    const callers = await race(210, async (worker) => requests[worker % requests.length]?.ask());
    expect(callers.map((caller) => caller?.owner_id)).toEqual(
      callers.map((_, worker) => requests[worker % requests.length]?.expected),
    );
  });
}

export interface Ways {
  readonly apiKeys: Pick<ApiKeyStore, 'revoke'>;
  readonly desk: Pick<AdmissionDesk, 'admit'>;
}

/** 20 callers keep asking while the key is revoked; each goes on for a few requests after the acknowledgement. */
export async function admittedAfterRevocation({ apiKeys, desk }: Ways, key: ApiKey) {
  const before = (await callerByKey(desk, key)) !== null;
  let acknowledged = false;
  const revocation = apiKeys.revoke(key.owner_id, key.key_prefix).then(() => {
    acknowledged = true;
  });
  const admitted = await race(20, async () => {
    let after = 0;
    for (let late = 0; late < 3; ) {
      const startedLate = acknowledged;
      const caller = await callerByKey(desk, key);
      if (startedLate) late += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (startedLate && caller) after += 1;
    }
    return after;
  });
  await revocation;
  return { before, after: admitted.reduce((sum, count) => sum + count, 0) };
}
