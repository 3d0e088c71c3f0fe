import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { deviceClient } from '../../../../../adapters/identity/device-client.ts';
import { providerClient } from '../../../../../adapters/identity/provider-client.ts';
import type { Ports } from '../../../../../application/ports.ts';
import type { DeviceAuthorization } from '../../../../../domain/accounts/device-authorization.ts';
import { DEVICE_FLOW } from '../../../../../domain/limits.ts';
import { Problem } from '../../../../../domain/problem.ts';
import { HOUR, MINUTE, SECOND } from '../../../../../domain/time.ts';
import { aSubmission } from '../../../../builders/decisions.ts';
import { openHostileProvider, PATHS } from '../../../../harness/identity/hostile-provider.ts';
import { openServiceWithProvider, type ServiceWithProvider } from '../../../../harness/identity/service.ts';
import { decideOnDevice } from '../../../../harness/identity/tokens.ts';
import { openService, STORAGES } from '../../../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const START = '/api/v1/public/auth/idp/device';
const POLL = `${START}/poll`;
const UNKNOWN = 'A'.repeat(43);

describe.each(STORAGES)('the device flow on %s', (storage) => {
  let service: ServiceWithProvider;
  /** Takes the place of exchanges with the provider, to plant faults. */
  let exchange: DeviceAuthorization['exchange'] | undefined;
  let real: DeviceAuthorization;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT, ports: planted });
  });
  beforeEach(async () => {
    exchange = undefined;
    await service.arrange.freeze(AT);
  });
  afterAll(() => service.close());

  function planted({ deviceAuthorization }: Ports): Partial<Ports> {
    if (!deviceAuthorization) throw new Error('There is no device flow.');
    real = deviceAuthorization;
    return { deviceAuthorization: { ...real, exchange: (code) => (exchange ?? real.exchange)(code) } };
  }

  const post = (path: string, body?: object, headers = {}) => request(service.app).post(path).set(headers).send(body);
  const start = async () => (await post(START)).body;
  const poll = async (device_code: string, more = {}) => post(POLL, { device_code, ...more });
  const toldBy = ({ status, body }: request.Response) => [status, body.error?.code];
  /** A sign-in that somebody, new unless told, has approved. */
  async function approved(user: string = randomUUID()): Promise<string> {
    const { device_code, verification_uri_complete } = await start();
    await decideOnDevice(user, verification_uri_complete);
    return device_code;
  }

  test('an agent without a key signs in, and its key submits for the agent that it named', async () => {
    const started = await post(START);
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
    expect(toldBy(await poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
    await decideOnDevice('ada', rest.verification_uri_complete);
    await service.arrange.advance(5 * SECOND);
    const { status, body, headers } = await poll(device_code, { agent_name: ' Momentum scout ' });
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      api_key: expect.stringMatching(/^sbk_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/),
      key_prefix: body.api_key.slice(0, 12),
      agent_id: expect.stringMatching(/^agt_[0-9a-f]{12}$/),
      permission_mode: 'read_write',
      created_at: new Date(AT.getTime() + 5 * SECOND).toISOString(),
    });
    const key = { 'x-api-key': body.api_key };
    const submitted = await post('/api/v1/agent/decisions', aSubmission(AT), key);
    expect(submitted.status).toBe(201);
    const read = await request(service.app).get(`/api/v1/agent/decisions/${submitted.body.record_id}`).set(key);
    expect([read.body.view, read.body.agent_id]).toEqual(['owner', body.agent_id]);
  });

  test('the key is shown once: whoever lost it is told so, and finds it in the owner’s list', async () => {
    const device_code = await approved();
    const { key_prefix, api_key } = (await poll(device_code, { agent_name: 'Scout' })).body;
    const again = await poll(device_code, { agent_name: 'Scout' });
    expect(toldBy(again)).toEqual([400, 'EXPIRED_TOKEN']);
    expect(again.body.error.message).toContain('shown only once');
    expect(again.text).not.toContain(api_key);
    const { owner_id } = (await request(service.app).get('/api/v1/public/auth/status').set({ 'x-api-key': api_key }))
      .body;
    expect(await service.ports.apiKeys.list(owner_id)).toMatchObject([{ key_prefix, label: 'Scout' }]);
  });

  test('400 ACCESS_DENIED once the user has refused, and ever after', async () => {
    const { device_code, verification_uri_complete } = await start();
    await decideOnDevice('ada', verification_uri_complete, 'no');
    for (let time = 0; time < 3; time += 1) {
      expect(toldBy(await poll(device_code))).toEqual([400, 'ACCESS_DENIED']);
    }
  });

  test('400 SLOW_DOWN before the interval is over, five seconds more each time, which are kept', async () => {
    const { device_code } = await start();
    const { body } = await poll(device_code);
    expect(body.error).toMatchObject({ code: 'AUTHORIZATION_PENDING', category: 'retryable', retry_after_seconds: 5 });
    const asked = service.provider.requests.length;
    for (const interval of [10, 15]) {
      const slowed = await poll(device_code);
      expect(toldBy(slowed)).toEqual([400, 'SLOW_DOWN']);
      expect(slowed.body.error).toMatchObject({ category: 'retryable', retry_after_seconds: interval });
      expect(slowed.headers['retry-after']).toBe(`${interval}`);
    }
    expect(service.provider.requests).toHaveLength(asked);
    await service.arrange.advance(15 * SECOND);
    const pending = await poll(device_code);
    expect(pending.body.error).toMatchObject({ code: 'AUTHORIZATION_PENDING', retry_after_seconds: 15 });
    await service.arrange.advance(15 * SECOND - 1);
    expect(toldBy(await poll(device_code))).toEqual([400, 'SLOW_DOWN']);
  });

  test('400 SLOW_DOWN when the provider says so', async () => {
    const { device_code } = await start();
    exchange = async () => ({ outcome: 'slow_down' });
    const { body } = await poll(device_code);
    expect(body.error).toMatchObject({ code: 'SLOW_DOWN', retry_after_seconds: 10 });
    await service.arrange.advance(10 * SECOND - 1);
    expect((await poll(device_code)).body.error).toMatchObject({ code: 'SLOW_DOWN', retry_after_seconds: 15 });
  });

  test('400 EXPIRED_TOKEN at the end of its life, approved or not, and when it was long forgotten', async () => {
    const [open, agreed] = [(await start()).device_code, await approved()];
    exchange = () => Promise.reject(new Error('the provider was asked'));
    await service.arrange.advance(10 * MINUTE);
    for (const code of [open, agreed]) expect(toldBy(await poll(code))).toEqual([400, 'EXPIRED_TOKEN']);
    await service.arrange.advance(HOUR);
    await service.settle();
    for (const code of [open, agreed]) {
      const { body } = await poll(code);
      expect(body.error).toMatchObject({
        code: 'EXPIRED_TOKEN',
        message: expect.stringContaining('no such device code'),
      });
    }
  });

  test('400 EXPIRED_TOKEN for a code that nobody was given', async () => {
    expect(toldBy(await poll(UNKNOWN))).toEqual([400, 'EXPIRED_TOKEN']);
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
    const reply = await post(POLL, body);
    expect(toldBy(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
  });

  test('the same person is the same owner, by a browser or by a device', async () => {
    const page = await service.browserOf('grace').visit('https://stancebook.test/api/v1/public/auth/idp');
    const { owner_id } = JSON.parse(page.text);
    const { api_key, agent_id } = (await poll(await approved('grace'))).body;
    const status = await request(service.app).get('/api/v1/public/auth/status').set({ 'x-api-key': api_key });
    expect(status.body).toMatchObject({ owner_id, agent_id, permission_mode: 'read_write', can_submit: true });
  });

  test('429 TIER_LIMIT_REACHED at the limit of keys, and the code is redeemable once there is room', async () => {
    const user = randomUUID();
    const keys = [];
    for (let count = 0; count < 5; count += 1) keys.push((await poll(await approved(user))).body);
    const sixth = await approved(user);
    const full = await poll(sixth);
    expect([full.status, full.body.error.code, full.body.error.category]).toEqual([
      429,
      'TIER_LIMIT_REACHED',
      'quota_exceeded',
    ]);
    expect(full.body.error.suggestion).toContain(new Date(AT.getTime() + 10 * MINUTE).toISOString());
    const identity = { issuer: service.provider.issuer, subject: user };
    const owner_id = (await service.ports.identities.find(identity))?.owner_id ?? '';
    await service.ports.apiKeys.revoke(owner_id, keys[0].key_prefix);
    expect((await poll(sixth)).status).toBe(200);
    expect(await service.ports.ownerOverview.counts(owner_id)).toMatchObject({ agents: 6, keys: 5 });
  });

  test('503 while the provider is down, at the start and at a poll, and the code is good when it is back', async () => {
    const { device_code, verification_uri_complete } = await start();
    await decideOnDevice('ada', verification_uri_complete);
    await service.provider.stop();
    try {
      for (const reply of [await post(START), await poll(device_code)]) {
        expect(toldBy(reply)).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect(reply.body.error.retry_after_seconds).toBe(5);
        expect(reply.headers['retry-after']).toBe('5');
      }
    } finally {
      await service.provider.start();
    }
    await service.arrange.advance(5 * SECOND);
    expect((await poll(device_code)).status).toBe(200);
  });

  test('503 tells to come back no sooner than the interval allows', async () => {
    const { device_code } = await start();
    await poll(device_code);
    await poll(device_code);
    await service.arrange.advance(10 * SECOND);
    exchange = () => Promise.reject(new Problem('SERVICE_UNAVAILABLE', 'The provider is down.'));
    const { status, body } = await poll(device_code);
    expect([status, body.error.retry_after_seconds]).toEqual([503, 10]);
    exchange = undefined;
    await service.arrange.advance(10 * SECOND);
    expect(toldBy(await poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
  });

  test('an exchange whose answer was lost on the way is told as such: the user starts again', async () => {
    const device_code = await approved();
    exchange = async (code) => {
      await real.exchange(code);
      throw new Error('the connection broke');
    };
    expect(toldBy(await poll(device_code))).toEqual([500, 'INTERNAL_ERROR']);
    exchange = undefined;
    await service.arrange.advance(5 * SECOND);
    for (let time = 0; time < 2; time += 1) {
      const { body } = await poll(device_code);
      expect(body.error.code).toBe('EXPIRED_TOKEN');
      expect(body.error.message).toContain('answer was lost');
    }
  });

  test('of 20 polls at once one asks the provider, and one gets the key', async () => {
    const device_code = await approved();
    let asked = 0;
    exchange = (code) => {
      asked += 1;
      return real.exchange(code);
    };
    const replies = await Promise.all(Array.from({ length: 20 }, () => poll(device_code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(asked).toBe(1);
  });

  test('whoever died in the middle of an exchange holds others up for the time of its lease, and no longer', async () => {
    const device_code = await approved();
    let comeBack: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      exchange = () => {
        resolve();
        return new Promise((_, reject) => {
          comeBack = () => reject(new Error('it never came back'));
        });
      };
    });
    const dead = poll(device_code);
    await reached;
    exchange = undefined;
    await service.arrange.advance(DEVICE_FLOW.lease - 1);
    expect(toldBy(await poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
    await service.arrange.advance(5 * SECOND);
    expect((await poll(device_code)).status).toBe(200);
    comeBack();
    expect((await dead).status).toBe(500);
    expect(toldBy(await poll(device_code))).toEqual([400, 'EXPIRED_TOKEN']);
  });

  test('no code and no key is in the log', async () => {
    const { device_code, user_code, verification_uri_complete } = await start();
    const theirs: string[] = [];
    exchange = (code) => {
      theirs.push(code);
      return real.exchange(code);
    };
    await poll(device_code);
    await decideOnDevice('ada', verification_uri_complete);
    await service.arrange.advance(5 * SECOND);
    const { api_key } = (await poll(device_code)).body;
    const log = service.log.join('\n');
    expect(log).toContain(POLL);
    for (const secret of [device_code, user_code, api_key, ...theirs]) expect(log).not.toContain(secret);
  });
});

describe.each(STORAGES)('a provider that answers whatever it likes, on %s', (storage) => {
  test('503 for garbage, for silence and for a wrong id token, and the code stays', async () => {
    const provider = await openHostileProvider();
    const device_authorization_endpoint = `${provider.settings.issuer}/device`;
    provider.answers.set(PATHS.discovery, { json: { ...provider.metadata, device_authorization_endpoint } });
    const service = await openService(storage, {
      at: AT,
      ports: () => {
        const client = providerClient(provider.settings, { deadlines: { metadata: 5 * SECOND, token: 300 } });
        return { deviceAuthorization: deviceClient(client, () => undefined) };
      },
    });
    const { app } = service;
    const ask = async (path: string, body?: object) => (await request(app).post(path).send(body)).status;
    provider.answers.set('/device', { text: '<html>' });
    expect(await ask(START)).toBe(503);
    provider.answers.set('/device', 'silence');
    expect(await ask(START)).toBe(503);
    const verification_uri = 'https://id.example.com/device';
    provider.answers.set('/device', {
      json: { device_code: 'theirs', user_code: 'ABCD', verification_uri, expires_in: 600 },
    });
    const started = await request(app).post(START);
    const { device_code } = started.body;
    expect(started.body).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: 'ABCD',
      verification_uri,
      verification_uri_complete: null,
      expires_in: 600,
      interval: 5,
    });
    const id_token = await provider.sign({ aud: 'somebody else' }, { typ: 'JWT' });
    for (const answer of [{ text: '{' }, 'silence', { json: {} }, { json: { id_token } }] as const) {
      provider.answers.set(PATHS.token, answer);
      expect(await ask(POLL, { device_code })).toBe(503);
      await service.arrange.advance(5 * SECOND);
    }
    const good = await provider.sign({ aud: provider.settings.clientId }, { typ: 'JWT' });
    provider.answers.set(PATHS.token, { json: { id_token: good } });
    expect(await ask(POLL, { device_code })).toBe(200);
    await Promise.all([service.close(), provider.close()]);
  });

  test('503 OAUTH_NOT_CONFIGURED where none is set up', async () => {
    const service = await openService(storage, { at: AT });
    for (const reply of [
      await request(service.app).post(START),
      await request(service.app).post(POLL).send({ device_code: UNKNOWN }),
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([503, 'OAUTH_NOT_CONFIGURED']);
    }
    await service.close();
  });
});
