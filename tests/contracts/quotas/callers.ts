import { beforeEach, expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { anAgentOf, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { race } from '../adapters.ts';
import { NOON } from '../decisions/adapters.ts';
import { aRequest, byKey, judged, type LimitsBench } from './requests.ts';

/** Whom a proof stands for, at the moment of the request. */
export function callerContract(bench: LimitsBench): void {
  beforeEach(() => bench.at(0));

  async function someone() {
    const owner = anOwner();
    await bench.storage().owners.add(owner);
    const session = aSessionOf(owner, { created_at: NOON });
    await bench.storage().sessions.add(session);
    const request = aRequest({ proof: { credential: 'legacy_session', session_hash: session.session_hash } });
    const caller = async () => (await judged(bench.desk(), request)).caller;
    return { owner, session, request, caller };
  }

  test('a key speaks for its agent, with the mode and the tier of this moment, until it is revoked', async () => {
    const { owner } = await someone();
    const agent = anAgentOf(owner);
    await bench.storage().owners.addAgent(agent, 1);
    const key = { ...(await bench.key()), owner_id: owner.owner_id };
    const bound = {
      ...key,
      key_prefix: 'sbk_Bound111',
      key_hash: new Uint8Array(32).fill(7),
      agent_id: agent.agent_id,
    };
    await bench.storage().apiKeys.add(bound, 10);
    const { owner_id } = owner;
    const known = { credential: 'api_key', owner_id, agent_id: agent.agent_id, key_prefix: bound.key_prefix };
    const first = await judged(bench.desk(), byKey(bound));
    expect(first.caller).toEqual({ ...known, permission_mode: 'read_write', tier: 'free' });
    await bench.storage().apiKeys.setMode(owner_id, bound.key_prefix, 'read_only');
    expect((await judged(bench.desk(), byKey(bound))).caller).toMatchObject({ permission_mode: 'read_only' });
    await bench.storage().apiKeys.revoke(owner_id, bound.key_prefix);
    expect((await judged(bench.desk(), byKey(bound))).caller).toBeNull();
  });

  test('no request that begins after a revocation is let in by the key', async () => {
    const key = await bench.key();
    let revoked = false;
    const late = await race(40, async (worker) => {
      if (worker === 20) {
        await bench.storage().apiKeys.revoke(key.owner_id, key.key_prefix);
        revoked = true;
        return false;
      }
      const after = revoked;
      const { caller } = await judged(bench.desk(), byKey(key));
      return after && caller !== null;
    });
    expect(late).not.toContain(true);
    expect((await judged(bench.desk(), byKey(key))).caller).toBeNull();
  });

  test('a session speaks for its owner, with the role of this moment, until it ends', async () => {
    const { owner, session, caller } = await someone();
    const known = { credential: 'legacy_session', owner_id: owner.owner_id, tier: 'free' };
    expect(await caller()).toEqual({ ...known, role: 'owner' });
    await bench.storage().owners.setRole(owner.owner_id, 'admin');
    expect(await caller()).toEqual({ ...known, role: 'admin' });
    await bench.storage().sessions.destroy(session.session_hash);
    expect(await caller()).toBeNull();
  });

  test('its use is noted to the minute, and puts its end off', async () => {
    const { caller } = await someone();
    for (const [hours, minutes] of [
      [11, 0],
      [22, 59],
      [34, 58],
    ] as const) {
      await bench.at(hours * HOUR + minutes * MINUTE);
      expect(await caller()).not.toBeNull();
    }
    await bench.at(46 * HOUR + 58 * MINUTE);
    expect(await caller()).toBeNull();
  });

  test('a session in use all the time is over after 7 days', async () => {
    const { caller } = await someone();
    const open: boolean[] = [];
    for (let hours = 10; hours <= 170; hours += 10) {
      await bench.at(hours * HOUR);
      open.push((await caller()) !== null);
    }
    expect(open).toEqual(Array.from({ length: 17 }, (_, i) => (i + 1) * 10 < 168));
  });

  test('no request in flight brings a session back that has ended', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { session, request, caller } = await someone();
      await bench.at(HOUR);
      await race<unknown>(21, (worker) =>
        worker === 10 ? bench.storage().sessions.destroy(session.session_hash) : bench.desk().admit(request),
      );
      expect(await caller()).toBeNull();
      await bench.at(0);
    }
  });

  test('an identity without an owner is a stranger and is not counted; with one it speaks for that owner', async () => {
    const identity = { issuer: 'https://id.example', subject: 'someone' };
    const request = aRequest({ proof: { credential: 'owner_bearer', identity }, addressPerMinute: 1 });
    for (let i = 0; i < 3; i += 1) expect(await bench.desk().admit(request)).toEqual({ verdict: 'stranger' });
    const owner = anOwner({ email: null, password_hash: null });
    await bench.storage().identities.addOwner(identity, owner);
    const { caller } = await judged(bench.desk(), request);
    expect(caller).toEqual({ credential: 'owner_bearer', owner_id: owner.owner_id, role: 'owner', tier: 'free' });
  });

  test('requests of all kinds at once each get their own answer', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => bench.key()));
    const answers = await race(200, (worker) => judged(bench.desk(), byKey(keys[worker % 10] ?? keys[0] ?? NO_KEY)));
    expect(answers.map(({ caller }) => caller?.owner_id)).toEqual(answers.map((_, i) => keys[i % 10]?.owner_id));
  });
}

const NO_KEY = { key_hash: new Uint8Array(32) } as never;
