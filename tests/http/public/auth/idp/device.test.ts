import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { HOUR, MINUTE, SECOND } from '../../../../../domain/time.ts';
import { anAgentOf } from '../../../../builders/accounts.ts';
import { aSubmission } from '../../../../builders/decisions.ts';
import { codeOf, deviceFlowOf, POLL, START } from '../../../../harness/identity/device.ts';
import { openServiceWithProvider, type ServiceWithProvider } from '../../../../harness/identity/service.ts';
import { decideOnDevice } from '../../../../harness/identity/tokens.ts';
import { STORAGES } from '../../../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const UNKNOWN = 'A'.repeat(43);

describe.each(STORAGES)('the device flow on %s', (storage) => {
  let service: ServiceWithProvider;
  let flow: ReturnType<typeof deviceFlowOf>;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT });
    flow = deviceFlowOf(service);
  });
  beforeEach(() => service.arrange.freeze(AT));
  afterAll(() => service.close());

  test('an agent without a key signs in, and its key submits for the agent that it named', async () => {
    const started = await flow.post(START);
    const { device_code, user_code, ...rest } = started.body;
    expect([started.status, rest]).toEqual([
      200,
      {
        verification_uri: `${service.provider.issuer}/device`,
        verification_uri_complete: `${service.provider.issuer}/device?user_code=${user_code}`,
        expires_in: 600,
        interval: 5,
      },
    ]);
    expect(codeOf(await flow.poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
    await decideOnDevice('ada', rest.verification_uri_complete);
    await service.arrange.advance(5 * SECOND);
    const { status, body, headers } = await flow.poll(device_code, { agent_name: ' Momentum scout ' });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      api_key: expect.stringMatching(/^sbk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      key_prefix: body.api_key.slice(0, 12),
      agent_id: expect.stringMatching(/^agt_[0-9a-f]{12}$/),
      permission_mode: 'read_write',
      expires_at: null,
      allowed_networks: null,
      created_at: new Date(AT.getTime() + 5 * SECOND).toISOString(),
    });
    const key = { 'x-api-key': body.api_key };
    const submitted = await flow.post('/api/v1/agent/decisions', aSubmission(AT), key);
    expect(submitted.status).toBe(201);
    const read = await request(service.app).get(`/api/v1/agent/decisions/${submitted.body.record_id}`).set(key);
    expect([read.body.view, read.body.agent_id]).toEqual(['owner', body.agent_id]);
  });

  test('the key is shown once: a later poll is refused with the reason, and the owner’s list contains the key', async () => {
    const device_code = await flow.approved();
    const { key_prefix, api_key } = (await flow.poll(device_code, { agent_name: 'Scout' })).body;
    const again = await flow.poll(device_code, { agent_name: 'Scout' });
    expect(codeOf(again)).toEqual([400, 'EXPIRED_TOKEN']);
    expect(again.body.error.message).toContain('shown only once');
    expect(again.text).not.toContain(api_key);
    const { owner_id } = (await request(service.app).get('/api/v1/public/auth/status').set({ 'x-api-key': api_key }))
      .body;
    expect(await service.ports.apiKeys.list(owner_id)).toMatchObject([{ key_prefix, label: 'Scout' }]);
    const events = await service.ports.securityEvents.list({ owner_id, result: 'success' }, null, 2);
    expect(events.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['key_created', key_prefix],
      ['device_sign_in', null],
    ]);
  });

  test('400 ACCESS_DENIED once the user has refused, and ever after', async () => {
    const { device_code, verification_uri_complete } = await flow.start();
    await decideOnDevice('ada', verification_uri_complete, 'no');
    for (let time = 0; time < 3; time += 1) {
      expect(codeOf(await flow.poll(device_code))).toEqual([400, 'ACCESS_DENIED']);
    }
  });

  test('400 SLOW_DOWN before the interval is over; each one makes the interval five seconds longer for good', async () => {
    const { device_code } = await flow.start();
    const { body } = await flow.poll(device_code);
    expect(body.error).toMatchObject({ code: 'AUTHORIZATION_PENDING', category: 'retryable', retry_after_seconds: 5 });
    const requestsBefore = service.provider.requests.length;
    for (const interval of [10, 15]) {
      const slowed = await flow.poll(device_code);
      expect(codeOf(slowed)).toEqual([400, 'SLOW_DOWN']);
      expect(slowed.body.error).toMatchObject({ category: 'retryable', retry_after_seconds: interval });
      expect(slowed.headers['retry-after']).toBe(`${interval}`);
    }
    expect(service.provider.requests).toHaveLength(requestsBefore);
    await service.arrange.advance(15 * SECOND);
    const pending = await flow.poll(device_code);
    expect(pending.body.error).toMatchObject({ code: 'AUTHORIZATION_PENDING', retry_after_seconds: 15 });
    await service.arrange.advance(15 * SECOND - 1);
    expect(codeOf(await flow.poll(device_code))).toEqual([400, 'SLOW_DOWN']);
  });

  test('400 EXPIRED_TOKEN once the code has expired, approved or not, and after it has been deleted', async () => {
    const [open, agreed] = [(await flow.start()).device_code, await flow.approved()];
    const requestsBefore = service.provider.requests.length;
    await service.arrange.advance(10 * MINUTE);
    for (const code of [open, agreed]) expect(codeOf(await flow.poll(code))).toEqual([400, 'EXPIRED_TOKEN']);
    await service.arrange.advance(HOUR);
    expect(service.provider.requests).toHaveLength(requestsBefore);
    await service.prune();
    for (const code of [open, agreed]) {
      const { body } = await flow.poll(code);
      expect(body.error).toMatchObject({
        code: 'EXPIRED_TOKEN',
        message: expect.stringContaining('no such device code'),
      });
    }
  });

  test('400 EXPIRED_TOKEN for a code that was never issued', async () => {
    expect(codeOf(await flow.poll(UNKNOWN))).toEqual([400, 'EXPIRED_TOKEN']);
  });

  test.each([
    [{}, 'device_code'],
    [{ device_code: '' }, 'device_code'],
    [{ device_code: 'A'.repeat(42) }, 'device_code'],
    [{ device_code: `${'A'.repeat(42)}=` }, 'device_code'],
    [{ device_code: ['A'.repeat(43)] }, 'device_code'],
    [{ device_code: UNKNOWN, agent_name: ' ' }, 'agent_name'],
    [{ device_code: UNKNOWN, agent_name: 'x'.repeat(81) }, 'agent_name'],
    [{ device_code: UNKNOWN, owner_id: 'x' }, 'owner_id'],
  ])('400 VALIDATION_ERROR for %j', async (body, path) => {
    const reply = await flow.post(POLL, body);
    expect(codeOf(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
  });

  test('the same person is the same owner, by a browser or by a device', async () => {
    const page = await service.browserOf('grace').visit('https://stancebook.test/api/v1/public/auth/idp');
    const { owner_id } = JSON.parse(page.text);
    const { api_key, agent_id } = (await flow.poll(await flow.approved('grace'))).body;
    const status = await request(service.app).get('/api/v1/public/auth/status').set({ 'x-api-key': api_key });
    expect(status.body).toMatchObject({ owner_id, agent_id, permission_mode: 'read_write', can_submit: true });
  });

  test('429 TIER_LIMIT_REACHED at the limit of keys, and the code is redeemable once there is room', async () => {
    const user = randomUUID();
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push((await flow.poll(await flow.approved(user))).body);
    const sixth = await flow.approved(user);
    const full = await flow.poll(sixth);
    expect([full.status, full.body.error.code, full.body.error.category]).toEqual([
      429,
      'TIER_LIMIT_REACHED',
      'quota_exceeded',
    ]);
    expect(full.body.error.suggestion).toContain(new Date(AT.getTime() + 10 * MINUTE).toISOString());
    const identity = { issuer: service.provider.issuer, subject: user };
    const owner_id = (await service.ports.identities.find(identity))?.owner_id ?? '';
    await service.ports.apiKeys.revoke(owner_id, keys[0].key_prefix);
    expect((await flow.poll(sixth)).status).toBe(200);
    expect(await service.ports.ownerOverview.counts(owner_id)).toMatchObject({ agents: 6, keys: 5 });
  });

  test('429 TIER_LIMIT_REACHED at the limit of agents says what the owner can do, because no agent can be removed', async () => {
    const user = randomUUID();
    await flow.poll(await flow.approved(user));
    const identity = { issuer: service.provider.issuer, subject: user };
    const owner = await service.ports.identities.find(identity);
    if (!owner) throw new Error('Nobody was signed in.');
    for (let count = 1; count < 10; count += 1) await service.ports.owners.addAgent(anAgentOf(owner), 10);
    const full = await flow.poll(await flow.approved(user));
    expect(codeOf(full)).toEqual([429, 'TIER_LIMIT_REACHED']);
    expect(full.body.error.message).toContain('10 agents');
    expect(full.body.error.suggestion).toContain('with its agent_id');
    expect(await service.ports.ownerOverview.counts(owner.owner_id)).toMatchObject({ agents: 10, keys: 1 });
  });
});
