import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { admitRequest, type RequestToAdmit } from '../../../application/quotas/admit-request.ts';
import type { Identity, IdentityProvider } from '../../../domain/accounts/provider/identity-provider.ts';
import { CONTRACT_LIMITS } from '../../../domain/limits.ts';
import { A_SOURCE } from '../../builders/accounts.ts';
import { race } from '../../contracts/adapters.ts';

const NOW = new Date('2026-03-02T12:00:30.250Z');
const IDENTITY: Identity = { issuer: 'https://id.example', subject: 'someone' };
const BEARER = { kind: 'owner_bearer', secret: 'a signed token' } as const;

/** Storage in memory, a provider that signed one token, and limits that a few requests meet. */
function portsOf(changes: Partial<typeof CONTRACT_LIMITS> = {}) {
  const storage = openMemory({ now: () => NOW });
  const verifyBearer = async (token: string) => (token === BEARER.secret ? IDENTITY : null);
  const settings = { limits: { ...CONTRACT_LIMITS, ...changes }, sessionSecret: 's'.repeat(32) } as Parameters<
    typeof admitRequest
  >[0]['settings'];
  return { ...storage, identityProvider: { verifyBearer } as IdentityProvider, settings };
}

function requestWith(changes: Partial<RequestToAdmit> = {}): RequestToAdmit {
  return {
    credential: null,
    network: '192.0.2.1',
    from: '192.0.2.1',
    window: 'common',
    spend: null,
    source: () => A_SOURCE,
    ...changes,
  };
}

test('the first token of an identity creates its owner, once for all concurrent requests', async () => {
  const ports = portsOf({ ratePerSecond: 100, ratePerMinute: 100 });
  const all = await race(20, () => admitRequest(ports, requestWith({ credential: BEARER })));
  expect(new Set(all.map(({ caller }) => caller?.owner_id)).size).toBe(1);
  expect(all[0]?.caller).toMatchObject({ credential: 'owner_bearer', role: 'owner', tier: 'free' });
  // Each is counted once, under that owner.
  expect(Math.min(...all.map(({ rate }) => rate.remaining))).toBe(80);
  expect(await ports.owners.list(null, 10)).toHaveLength(1);
});

test('an owner who is removed again and again meanwhile is 503, and not a loop', async () => {
  const ports = portsOf();
  const admission = { ...ports.admission, admit: async () => ({ verdict: 'no_active_owner' }) as const };
  await expect(admitRequest({ ...ports, admission }, requestWith({ credential: BEARER }))).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});

test('an invalid token is counted under its address', async () => {
  const ports = portsOf({ addressPerMinute: 2 });
  const forged = requestWith({ credential: { kind: 'owner_bearer', secret: 'forged' } });
  const [first, second, third] = [
    await admitRequest(ports, forged),
    await admitRequest(ports, requestWith()),
    await admitRequest(ports, forged),
  ];
  expect([first.caller, first.refusal, second.refusal]).toEqual([null, null, null]);
  expect(third.refusal).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retry_after_seconds: 30 });
  expect((await admitRequest(ports, requestWith({ network: '192.0.2.2' }))).refusal).toBeNull();
  expect((await admitRequest(ports, requestWith({ window: 'signup' }))).rate).toMatchObject({
    limit: 10,
    remaining: 9,
  });
});

test('a unit is given back once taken, and nothing where none was', async () => {
  const ports = portsOf({ readPerDay: 1 });
  const spend = { pool: 'read', record_id: null, units: 1 } as const;
  const reading = requestWith({ credential: BEARER, spend });
  const taken = await admitRequest(ports, reading);
  expect(taken.quota).toEqual({
    resource: 'read',
    limit: 1,
    remaining: 0,
    reset: new Date('2026-03-03T00:00:00.000Z'),
  });
  const empty = await admitRequest(ports, reading);
  expect(empty.refusal).toMatchObject({ code: 'DAILY_QUOTA_EXCEEDED', retry_after_seconds: 43_170 });
  expect(await empty.giveBack()).toBeNull();
  expect(await (await admitRequest(ports, requestWith())).giveBack()).toBeNull();
  const forged = { kind: 'owner_bearer', secret: 'forged' } as const;
  expect(await (await admitRequest(ports, requestWith({ credential: forged, spend }))).giveBack()).toBeNull();
  const looking = requestWith({ credential: BEARER, spend: { ...spend, units: 0 } });
  expect(await (await admitRequest(ports, looking)).giveBack()).toBeNull();
  expect(await taken.giveBack()).toMatchObject({ resource: 'read', remaining: 1 });
  expect((await admitRequest(ports, reading)).refusal).toBeNull();
});

test('an invented key is judged without a query', async () => {
  const ports = portsOf();
  const secret = `sbk_${randomBytes(24).toString('hex')}`;
  const { caller, rate } = await admitRequest(ports, requestWith({ credential: { kind: 'api_key', secret } }));
  expect({ caller, limit: rate.limit }).toEqual({ caller: null, limit: 60 });
});
