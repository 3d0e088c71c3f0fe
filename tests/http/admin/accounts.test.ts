import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { HOUR } from '../../../domain/time.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const ACCOUNTS = '/api/v1/admin/accounts';

describe.each(STORAGES)('accounts, for operators, on %s', (storage) => {
  let service: TestService;
  let admin: { readonly owner_id: string; readonly email: string };
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    service = await openService(storage, { at: new Date('2026-03-02T12:00:00.000Z'), env: NO_RATE_LIMITS });
    const { owner_id, email } = await aPasswordOwner(service);
    admin = { owner_id, email: email ?? '' };
    await changeRole(service.operators, owner_id, 'admin', 'command line');
  });
  beforeEach(async () => {
    headers = { cookie: cookieOf(await logIn(service, admin.email)), ...OWN_PAGE };
  });
  afterAll(() => service.close());

  const list = (query: string) => request(service.app).get(`${ACCOUNTS}?${query}`).set(headers);
  const post = (path: string, body: object = {}) =>
    request(service.app)
      .post(`${ACCOUNTS}/${path}`)
      .set(headers)
      .send(Object.keys(body).length === 0 ? undefined : body);
  const setTier = (owner_id: string, tier: string) =>
    request(service.app).put(`${ACCOUNTS}/${owner_id}/tier`).set(headers).send({ tier });
  const entries = async (owner_id: string) =>
    (await service.ports.audit.about(owner_id, 10)).map(({ actor, action, detail }) => ({ actor, action, ...detail }));
  const events = async (owner_id: string) =>
    (await service.ports.securityEvents.list({ owner_id }, null, 20))
      .filter(({ actor }) => actor !== null)
      .map(({ kind, actor, client, request_id }) => ({ kind, actor, client, hasRequest: request_id !== null }));

  test('an account with its counts, found by its id and by the begin of its email', async () => {
    const agent = await anAgentAt(service);
    const expected = {
      ...{ owner_id: agent.owner_id, email: agent.email, role: 'owner', tier: 'free', suspended_at: null },
      ...{ agents: 1, keys: 1, sessions: 0, webhooks: 0, decisions: 0, created_at: expect.any(String) },
    };
    for (const find of [agent.owner_id, agent.email, agent.email.toUpperCase().slice(0, -2)]) {
      expect((await list(`find=${encodeURIComponent(find)}`)).body).toEqual({ items: [expected], next_cursor: null });
    }
    expect((await request(service.app).get(`${ACCOUNTS}/${agent.owner_id}`).set(headers)).body).toEqual(expected);
    expect((await list('find=nobody@')).body.items).toEqual([]);
  });

  test('pages contain each account once, the youngest first, and a cursor is of its query', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await list(`limit=1&role=owner${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ owner_id }: { readonly owner_id: string }) => owner_id));
      cursor = body.next_cursor;
      if (cursor) expect((await list(`limit=1&role=admin&cursor=${cursor}`)).status).toBe(400);
    }
    expect(seen).toEqual([...new Set(seen)].toSorted().toReversed());
    expect(seen).not.toContain(admin.owner_id);
    expect((await list('role=admin')).body.items).toMatchObject([{ owner_id: admin.owner_id }]);
  });

  test('a suspension stops the account at once and is done once; its end restores the key', async () => {
    const agent = await anAgentAt(service);
    const suspended = await post(`${agent.owner_id}/suspend`, { reason: 'keys in a public repository' });
    expect([suspended.status, suspended.body]).toEqual([
      200,
      {
        ...{ changed: true, sessions_ended: 0, keys_stopped: [agent.key_prefix] },
        account: expect.objectContaining({ keys: 0, suspended_at: '2026-03-02T12:00:00.000Z' }),
      },
    ]);
    expect((await agent.get('/api/v1/agent/decisions')).status).toBe(401);
    expect((await list('suspended=true')).body.items).toMatchObject([{ owner_id: agent.owner_id }]);
    const again = await post(`${agent.owner_id}/suspend`, { reason: 'again' });
    expect(again.body).toMatchObject({ changed: false, sessions_ended: 0, keys_stopped: [] });
    const resumed = await post(`${agent.owner_id}/resume`);
    expect(resumed.body).toMatchObject({ changed: true, keys_restored: [agent.key_prefix], account: { keys: 1 } });
    expect((await agent.get('/api/v1/agent/decisions')).status).toBe(200);
    expect((await post(`${agent.owner_id}/resume`)).body).toMatchObject({ changed: false, keys_restored: [] });
    const actor = admin.owner_id;
    expect(await entries(agent.owner_id)).toMatchObject([
      { actor, action: 'resume_owner', changed: false },
      { actor, action: 'resume_owner', changed: true, keys: [agent.key_prefix] },
      { actor, action: 'suspend_owner', changed: false, reason: 'again' },
      { actor, action: 'suspend_owner', changed: true, reason: 'keys in a public repository' },
    ]);
    const source = { actor, client: 'other', hasRequest: true };
    expect(await events(agent.owner_id)).toEqual([
      { kind: 'account_resumed', ...source },
      { kind: 'account_suspended', ...source },
    ]);
  });

  test('a larger tier ends the sessions, a smaller one does not', async () => {
    const { owner_id, cookie } = await anOwnerLoggedIn(service);
    const status = async () => (await request(service.app).get('/api/v1/owner/dashboard').set({ cookie })).status;
    expect(await status()).toBe(200);
    const larger = await setTier(owner_id, 'pro');
    expect(larger.body).toMatchObject({ changed: true, sessions_ended: 1, account: { tier: 'pro', sessions: 0 } });
    expect(await status()).toBe(401);
    expect((await setTier(owner_id, 'pro')).body).toMatchObject({ changed: false, sessions_ended: 0 });
    expect((await setTier(owner_id, 'free')).body).toMatchObject({ changed: true, sessions_ended: 0 });
    expect((await setTier(owner_id, 'gold')).status).toBe(400);
    const tiers = (await entries(owner_id)).map(({ action, ...detail }) => [action, detail.actor]);
    expect(tiers).toEqual(Array.from({ length: 3 }, () => ['set_tier', admin.owner_id]));
  });

  test('401 REAUTHENTICATION_REQUIRED for an older login, and nothing changes', async () => {
    const agent = await anAgentAt(service);
    await service.arrange.advance(HOUR);
    const replies = [
      await post(`${agent.owner_id}/suspend`, { reason: 'late' }),
      await post(`${agent.owner_id}/resume`),
      await setTier(agent.owner_id, 'pro'),
    ];
    expect(replies.map(({ status, body }) => [status, body.error?.code])).toEqual(
      replies.map(() => [401, 'REAUTHENTICATION_REQUIRED']),
    );
    expect([await entries(agent.owner_id), await events(agent.owner_id)]).toEqual([[], []]);
    expect((await list(`find=${agent.owner_id}`)).body.items).toMatchObject([{ suspended_at: null, tier: 'free' }]);
  });

  test('the account of an admin, and of nobody', async () => {
    const [other, nobody] = [await aPasswordOwner(service), '0193a1c0-7c00-7a3b-8c4d-5e6f70819200'];
    await changeRole(service.operators, other.owner_id, 'admin', 'command line');
    for (const owner_id of [other.owner_id, admin.owner_id]) {
      const replies = [await post(`${owner_id}/suspend`, { reason: 'no' }), await setTier(owner_id, 'pro')];
      expect(replies.map(({ body }) => body.error?.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    }
    const missing = [
      await post(`${nobody}/suspend`, { reason: 'no' }),
      await post(`${nobody}/resume`),
      await setTier(nobody, 'pro'),
      await request(service.app).get(`${ACCOUNTS}/${nobody}`).set(headers),
    ];
    expect(missing.map(({ status, body }) => [status, body.error?.code])).toEqual(
      missing.map(() => [404, 'NOT_FOUND']),
    );
    await changeRole(service.operators, other.owner_id, 'owner', 'command line');
  });
});
