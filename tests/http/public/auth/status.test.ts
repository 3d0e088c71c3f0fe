import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { anAgentAt } from '../../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn } from '../../../harness/sessions.ts';

const STATUS = '/api/v1/public/auth/status';

describe.each(STORAGES)('the status of a credential on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: new Date('2026-03-02T12:00:00.000Z'), limits: 'contract' });
  });
  afterAll(() => service.close());

  const ask = (headers: Readonly<Record<string, string>>, query = '') =>
    request(service.app).get(`${STATUS}${query}`).set(headers);

  test('the reply to a key contains its agent, its mode and that it can submit and query', async () => {
    const { api_key, owner_id, agent_id } = await anAgentAt(service);
    const { status, body } = await ask({ 'x-api-key': api_key });
    expect([status, body]).toEqual([
      200,
      {
        authenticated: true,
        credential: 'api_key',
        owner_id,
        agent_id,
        permission_mode: 'read_write',
        can_submit: true,
        can_query: true,
        tier: 'free',
      },
    ]);
  });

  test.each([
    [{ permission_mode: 'read_only' }, { permission_mode: 'read_only', can_submit: false, can_query: true }],
    [{ bound: false }, { agent_id: null, permission_mode: 'read_write', can_submit: false, can_query: true }],
  ] as const)('the reply to a key with %j contains %j', async (wishes, expected) => {
    const { api_key } = await anAgentAt(service, wishes);
    expect((await ask({ 'x-api-key': api_key })).body).toMatchObject(expected);
  });

  test('the reply to a session contains its owner and that it cannot submit', async () => {
    const { owner_id, email, cookie } = await anOwnerLoggedIn(service);
    const { status, body } = await ask({ cookie });
    expect([status, body]).toEqual([
      200,
      {
        authenticated: true,
        credential: 'legacy_session',
        owner_id,
        agent_id: null,
        permission_mode: null,
        can_submit: false,
        can_query: true,
        tier: 'free',
        owner: { email, role: 'owner', needs_factor: false },
        email_confirmed_at: null,
      },
    ]);
  });

  test('the tier is the current one', async () => {
    const { api_key, owner_id } = await anAgentAt(service);
    await service.operators.ownerAdministration.setTier(owner_id, 'pro');
    expect((await ask({ 'x-api-key': api_key })).body.tier).toBe('pro');
  });

  test('include=quota adds the pools and takes nothing from them', async () => {
    const { api_key } = await anAgentAt(service);
    const reset = '2026-03-03T00:00:00.000Z';
    for (let times = 0; times < 3; times += 1) {
      const { body, headers } = await ask({ 'x-api-key': api_key }, '?include=quota');
      expect(body.quota).toEqual({
        query: { limit: 20, used: 0, credit: 0, remaining: 20, reset },
        read: { limit: 200, used: 0, credit: 0, remaining: 200, reset },
        check: { limit_per_decision: 20 },
      });
      expect(headers['x-quota-resource']).toBe('none');
    }
  });

  test.each(['?include=', '?include=quota,keys', '?include=QUOTA', '?include=quota&include=quota', '?quota=true'])(
    '400 VALIDATION_ERROR for %s',
    async (query) => {
      const { api_key } = await anAgentAt(service);
      const { status, body } = await ask({ 'x-api-key': api_key }, query);
      expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    },
  );

  test('401 UNAUTHORIZED for nobody, for a made up credential and for a revoked key', async () => {
    const { api_key, owner_id, key_prefix } = await anAgentAt(service);
    await service.ports.apiKeys.revoke(owner_id, key_prefix);
    for (const headers of [{}, { 'x-api-key': 'guess' }, { cookie: 'sid=guess' }, { 'x-api-key': api_key }]) {
      const { status, body } = await ask(headers as Record<string, string>);
      expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
});
