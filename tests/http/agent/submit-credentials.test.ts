import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');

describe.each(STORAGES)('who may submit, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const submit = (headers: Readonly<Record<string, string>>, body: object | string = aSubmission(AT)) =>
    request(service.app).post('/api/v1/agent/decisions').set(headers).send(body);

  test.each([
    {},
    { 'X-API-Key': '' },
    { 'X-API-Key': 'nonsense' },
    { 'X-API-Key': 'sbk_Xk29fQ7b_0123456789abcdefghijABCDEFGHIJ010afxPd' },
    { Authorization: 'Basic dXNlcjpwYXNz' },
    { Authorization: 'Bearer not.a.token' },
    { Cookie: 'sid=made-up' },
    { 'X-API-Key': "' or 1=1 --" },
    { 'X-API-Key': 'x'.repeat(8_000) },
  ])('401 UNAUTHORIZED with %j', async (headers) => {
    const reply = await submit(headers);
    expect([reply.status, reply.body.error.code, reply.body.error.category]).toEqual([
      401,
      'UNAUTHORIZED',
      'auth_failed',
    ]);
    expect(reply.headers['www-authenticate']).toBeDefined();
    expect(reply.text).not.toContain('0123456789abcdefghij');
  });

  test('401 for a key with one letter changed', async () => {
    const { api_key } = await anAgentAt(service);
    const last = api_key.endsWith('0') ? '1' : '0';
    expect((await submit({ 'X-API-Key': api_key.slice(0, -1) + last })).status).toBe(401);
    expect((await submit({ 'X-API-Key': api_key.toLowerCase() })).status).toBe(401);
    expect((await submit({ 'X-API-Key': api_key })).status).toBe(201);
  });

  test('401 from the moment a key is revoked, a replay and a preview included', async () => {
    const agent = await anAgentAt(service);
    expect((await agent.submit(aSubmission(AT), { 'Idempotency-Key': 'k' })).status).toBe(201);
    await service.ports.apiKeys.revoke(agent.owner_id, agent.key_prefix);
    expect((await agent.submit(aSubmission(AT), { 'Idempotency-Key': 'k' })).status).toBe(401);
    expect((await agent.preview(aSubmission(AT))).status).toBe(401);
  });

  test('401 for a key that is revoked between authentication and the write', async () => {
    const revoking = await openService(storage, {
      at: AT,
      ports: ({ intake, apiKeys }) => ({
        intake: {
          ...intake,
          async submit(draft) {
            await apiKeys.revoke(draft.owner_id, draft.key_prefix);
            return intake.submit(draft);
          },
        },
      }),
    });
    const reply = await (await anAgentAt(revoking)).submit(aSubmission(AT));
    expect([reply.status, reply.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(await revoking.ports.verification.awaitingVerification(AT, 1)).toEqual([]);
    await revoking.close();
  });

  test('403 FORBIDDEN for a read_only key, which can read', async () => {
    const agent = await anAgentAt(service);
    const reader = await anAgentAt(service, { mate: agent, permission_mode: 'read_only' });
    const { body } = await agent.submit(aSubmission(AT));
    for (const refused of [await reader.submit(aSubmission(AT)), await reader.preview(aSubmission(AT))]) {
      expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await reader.read(body.record_id)).body.view).toBe('owner');
  });

  test('403 KEY_UNBOUND for a key without an agent, which can read', async () => {
    const agent = await anAgentAt(service);
    const unbound = await anAgentAt(service, { mate: agent, bound: false });
    const { body } = await agent.submit(aSubmission(AT));
    const refused = await unbound.submit(aSubmission(AT));
    expect([refused.status, refused.body.error.code]).toEqual([403, 'KEY_UNBOUND']);
    expect((await unbound.read(body.record_id)).body.view).toBe('owner');
  });

  test('the first of key, bearer and session is judged alone', async () => {
    const { api_key } = await anAgentAt(service);
    const both = { Authorization: 'Bearer made.up.token', Cookie: 'sid=made-up' };
    expect((await submit({ 'X-API-Key': api_key, ...both })).status).toBe(201);
    expect((await submit({ 'X-API-Key': 'wrong', ...both })).status).toBe(401);
  });

  test('the credential is judged before the body is', async () => {
    expect((await submit({ 'Content-Type': 'text/plain' }, 'no JSON')).status).toBe(401);
  });
});
