import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { deviceClient } from '../../../../../adapters/identity/device-client.ts';
import { providerClient } from '../../../../../adapters/identity/provider-client.ts';
import type { Ports } from '../../../../../application/ports.ts';
import type { DeviceAuthorization } from '../../../../../domain/accounts/provider/device-sign-in.ts';
import { DEVICE_FLOW } from '../../../../../domain/limits.ts';
import { Problem } from '../../../../../domain/problem.ts';
import { SECOND } from '../../../../../domain/time.ts';
import { codeOf, deviceFlowOf, POLL, START } from '../../../../harness/identity/device.ts';
import { openHostileProvider, PATHS } from '../../../../harness/identity/hostile-provider.ts';
import { openServiceWithProvider, type ServiceWithProvider } from '../../../../harness/identity/service.ts';
import { decideOnDevice } from '../../../../harness/identity/tokens.ts';
import { openService, STORAGES } from '../../../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const UNKNOWN = 'A'.repeat(43);

describe.each(STORAGES)('exchanges with the provider, on %s', (storage) => {
  let service: ServiceWithProvider;
  let flow: ReturnType<typeof deviceFlowOf>;
  /** Replaces the exchange with the provider, to plant faults. */
  let exchange: DeviceAuthorization['exchange'] | undefined;
  let real: DeviceAuthorization;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT, ports: planted });
    flow = deviceFlowOf(service);
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

  test('503 while the provider is down, at the start and at a poll, and the code is good when it is back', async () => {
    const { device_code, verification_uri_complete } = await flow.start();
    await decideOnDevice('ada', verification_uri_complete);
    await service.provider.stop();
    try {
      for (const reply of [await flow.post(START), await flow.poll(device_code)]) {
        expect(codeOf(reply)).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect(reply.body.error.retry_after_seconds).toBe(5);
        expect(reply.headers['retry-after']).toBe('5');
      }
    } finally {
      await service.provider.start();
    }
    await service.arrange.advance(5 * SECOND);
    expect((await flow.poll(device_code)).status).toBe(200);
  });

  test('the retry_after_seconds of a 503 is at least the poll interval', async () => {
    const { device_code } = await flow.start();
    await flow.poll(device_code);
    await flow.poll(device_code);
    await service.arrange.advance(10 * SECOND);
    exchange = () => Promise.reject(new Problem('SERVICE_UNAVAILABLE', 'The provider is down.'));
    const { status, body } = await flow.poll(device_code);
    expect([status, body.error.retry_after_seconds]).toEqual([503, 10]);
    exchange = undefined;
    await service.arrange.advance(10 * SECOND);
    expect(codeOf(await flow.poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
  });

  test('when the answer of an exchange is lost, the reply says so and the user has to start again', async () => {
    const device_code = await flow.approved();
    exchange = async (code) => {
      await real.exchange(code);
      throw new Error('the connection broke');
    };
    expect(codeOf(await flow.poll(device_code))).toEqual([500, 'INTERNAL_ERROR']);
    exchange = undefined;
    await service.arrange.advance(5 * SECOND);
    for (let time = 0; time < 2; time += 1) {
      const { body } = await flow.poll(device_code);
      expect(body.error.code).toBe('EXPIRED_TOKEN');
      expect(body.error.message).toContain('answer was lost');
    }
  });

  test('among 20 polls at once, one asks the provider and one gets the key', async () => {
    const device_code = await flow.approved();
    let exchanges = 0;
    exchange = (code) => {
      exchanges += 1;
      return real.exchange(code);
    };
    const replies = await Promise.all(Array.from({ length: 20 }, () => flow.poll(device_code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(exchanges).toBe(1);
  });

  test('an exchange that never finishes blocks other polls until its lease ends, and no longer', async () => {
    const device_code = await flow.approved();
    let comeBack: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      exchange = () => {
        resolve();
        return new Promise((_, reject) => {
          comeBack = () => reject(new Error('it never came back'));
        });
      };
    });
    const dead = flow.poll(device_code);
    await reached;
    exchange = undefined;
    await service.arrange.advance(DEVICE_FLOW.lease - 1);
    expect(codeOf(await flow.poll(device_code))).toEqual([400, 'AUTHORIZATION_PENDING']);
    await service.arrange.advance(5 * SECOND);
    expect((await flow.poll(device_code)).status).toBe(200);
    comeBack();
    expect((await dead).status).toBe(500);
    expect(codeOf(await flow.poll(device_code))).toEqual([400, 'EXPIRED_TOKEN']);
  });

  test('400 SLOW_DOWN when the provider says so', async () => {
    const { device_code } = await flow.start();
    exchange = async () => ({ outcome: 'slow_down' });
    const { body } = await flow.poll(device_code);
    expect(body.error).toMatchObject({ code: 'SLOW_DOWN', retry_after_seconds: 10 });
    await service.arrange.advance(10 * SECOND - 1);
    expect((await flow.poll(device_code)).body.error).toMatchObject({ code: 'SLOW_DOWN', retry_after_seconds: 15 });
  });

  test('no code and no key is in the log', async () => {
    const { device_code, user_code, verification_uri_complete } = await flow.start();
    const theirs: string[] = [];
    exchange = (code) => {
      theirs.push(code);
      return real.exchange(code);
    };
    await flow.poll(device_code);
    await decideOnDevice('ada', verification_uri_complete);
    await service.arrange.advance(5 * SECOND);
    const { api_key } = (await flow.poll(device_code)).body;
    const log = service.log.join('\n');
    expect(log).toContain(POLL);
    for (const secret of [device_code, user_code, api_key, ...theirs]) expect(log).not.toContain(secret);
  });
});

describe.each(STORAGES)('a provider with wrong answers, on %s', (storage) => {
  test('503 for garbage, for no answer and for a wrong id token, and the code stays valid', async () => {
    const provider = await openHostileProvider();
    const device_authorization_endpoint = `${provider.settings.issuer}/device`;
    provider.answers.set(PATHS.discovery, { json: { ...provider.metadata, device_authorization_endpoint } });
    const service = await openService(storage, {
      at: AT,
      ports: () => {
        const client = providerClient(provider.settings, { deadlines: { metadata: 10 * SECOND, token: SECOND } });
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
