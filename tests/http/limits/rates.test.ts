import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, LOGIN, logIn, PASSWORD } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/public/auth/status';
const SOME_RECORD = '/api/v1/public/decisions/dec_20260302_00000000';

describe.each(STORAGES)('rate windows on %s', (storage) => {
  let service: TestService;
  let minutes = 0;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, limits: 'contract', env: { TRUST_PROXY: '1' } });
  });
  // Each test uses its own minute, from one second after its start.
  beforeEach(() => {
    minutes += 10;
    return service.arrange.freeze(new Date(AT.getTime() + minutes * MINUTE + SECOND));
  });
  afterAll(() => service.close());

  const unix = (seconds: number) => String(AT.getTime() / SECOND + minutes * 60 + seconds);
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    request(service.app).get(path).set(headers);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const rateOf = ({ status, headers }: request.Response) => ({
    status,
    limit: headers['x-ratelimit-limit'],
    remaining: headers['x-ratelimit-remaining'],
    reset: headers['x-ratelimit-reset'],
    after: headers['retry-after'],
  });

  async function statuses(times: number, ask: () => request.Test): Promise<number[]> {
    const all: number[] = [];
    for (let i = 0; i < times; i += 1) all.push((await ask()).status);
    return all;
  }

  test('10 requests of a key in a second, then 429 until the next', async () => {
    const { api_key } = await anAgentAt(service);
    const ask = () => get(STATUS, { 'x-api-key': api_key });
    for (let remaining = 9; remaining >= 0; remaining -= 1) {
      const expected = { status: 200, limit: '60', remaining: String(remaining), reset: unix(2), after: undefined };
      expect(rateOf(await ask())).toEqual(expected);
    }
    const refused = await ask();
    expect(rateOf(refused)).toEqual({ status: 429, limit: '60', remaining: '0', reset: unix(2), after: '1' });
    expect(refused.body.error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      category: 'retryable',
      message: '60 requests a minute and 10 a second are allowed for this API key.',
      retry_after_seconds: 1,
    });
    await service.arrange.advance(SECOND);
    expect(rateOf(await ask())).toMatchObject({ status: 200, remaining: '9' });
  });

  test('60 requests of a key in a minute, then 429 until the next', async () => {
    const { api_key } = await anAgentAt(service);
    const ask = () => get(STATUS, { 'x-api-key': api_key });
    for (let second = 0; second < 6; second += 1) {
      expect(new Set(await statuses(10, ask))).toEqual(new Set([200]));
      await service.arrange.advance(SECOND);
    }
    expect(rateOf(await ask())).toEqual({ status: 429, limit: '60', remaining: '0', reset: unix(60), after: '53' });
    await service.arrange.advance(53 * SECOND);
    expect(rateOf(await ask())).toMatchObject({ status: 200, remaining: '9' });
  });

  test('requests without a valid credential are counted by address: public ones, wrong paths and methods, guessed keys', async () => {
    const address = from('198.51.100.1');
    const asks = [
      () => get(SOME_RECORD, address),
      () => get('/api/v1/nowhere', address),
      () => get('/api/v1/public/decisions/%ff', address),
      () => request(service.app).delete(STATUS).set(address),
      () => get(STATUS, address),
      () => get(STATUS, { ...address, 'x-api-key': 'guess' }),
    ];
    const seen: unknown[] = [];
    for (const ask of asks) seen.push(rateOf(await ask()));
    expect(seen).toEqual(
      [404, 404, 400, 405, 401, 401].map((status, i) => {
        return { status, limit: '60', remaining: String(59 - i), reset: unix(60), after: undefined };
      }),
    );
    expect(new Set(await statuses(54, () => get(SOME_RECORD, address)))).toEqual(new Set([404]));
    for (const ask of asks) expect(rateOf(await ask())).toMatchObject({ status: 429, remaining: '0', after: '59' });
    const { body } = await get(SOME_RECORD, address);
    expect(body.error.message).toBe(
      'Requests without a valid credential share one limit: 60 requests a minute for this address.',
    );
    expect((await get(SOME_RECORD, from('198.51.100.2'))).status).toBe(404);
    const { api_key } = await anAgentAt(service);
    expect((await get(STATUS, { ...address, 'x-api-key': api_key })).status).toBe(200);
    for (const path of ['/healthz', '/docs', '/elsewhere']) expect((await get(path, address)).status).not.toBe(429);
  });

  test('an IPv6 network of 64 bits counts as one address, and so do all spellings of an IPv4 address', async () => {
    const remaining = async (address: string) =>
      (await get(SOME_RECORD, from(address))).headers['x-ratelimit-remaining'] ?? '';
    const network = ['2001:db8:7:7::1', '2001:db8:7:7:ffff::', '2001:db8:7:8::1', '2001:DB8:7:7::3'];
    expect(await Promise.all(network.map(remaining)).then((all) => all.toSorted())).toEqual(['57', '58', '59', '59']);
    const sequence: string[] = [];
    for (const each of ['192.0.2.77', '::ffff:192.0.2.77', '::ffff:c000:24d']) sequence.push(await remaining(each));
    expect(sequence).toEqual(['59', '58', '57']);
  });

  test('signing up and logging in share 10 a minute per address, and take nothing of its 60', async () => {
    const address = from('198.51.100.9');
    const post = (path: string, body: object) => request(service.app).post(path).set(address).send(body);
    const wrong = { email: 'nobody@example.com', password: PASSWORD };
    const asks = ['register', 'quick-setup', 'login'].map((name) => () => post(`/api/v1/public/auth/${name}`, {}));
    for (const ask of asks) expect(rateOf(await ask())).toMatchObject({ status: 400, limit: '10' });
    expect(await statuses(7, () => post(LOGIN, wrong))).toEqual(Array.from({ length: 7 }, () => 401));
    for (const ask of asks) {
      expect(rateOf(await ask())).toEqual({ status: 429, limit: '10', remaining: '0', reset: unix(60), after: '59' });
    }
    expect((await post(LOGIN, wrong)).body.error.message).toBe(
      'Sign-up, login, quick-setup, password reset, email confirmation, passkey login and device sign-in share one limit: ' +
        '10 requests a minute for this address.',
    );
    expect(rateOf(await get(SOME_RECORD, address))).toMatchObject({ status: 404, remaining: '59' });
    await service.arrange.advance(59 * SECOND);
    expect((await post(LOGIN, wrong)).status).toBe(401);
  });

  test('all sessions of an owner share one window, apart from that of a key', async () => {
    const owner = await aPasswordOwner(service);
    const cookies = [cookieOf(await logIn(service, owner.email)), cookieOf(await logIn(service, owner.email))];
    const seen: number[] = [];
    for (let i = 0; i < 12; i += 1) seen.push((await get(STATUS, { cookie: cookies[i % 2] ?? '' })).status);
    expect(seen).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
    const { body } = await get(STATUS, { cookie: cookies[0] ?? '' });
    expect(body.error.message).toBe('60 requests a minute and 10 a second are allowed for this owner.');
  });

  test('a valid key that is not accepted here is counted as that key', async () => {
    const { api_key } = await anAgentAt(service);
    const ask = () => get('/api/v1/owner/dashboard', { 'x-api-key': api_key });
    expect(await statuses(11, ask)).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
  });

  test('where credentials are ignored, a key is counted by its address', async () => {
    const { api_key } = await anAgentAt(service);
    const reply = await get(SOME_RECORD, { ...from('198.51.100.20'), 'x-api-key': api_key });
    expect(rateOf(reply)).toMatchObject({ status: 404, remaining: '59' });
  });

  test('a key that is revoked while its window is full is still refused, and never admitted afterwards', async () => {
    const { api_key, owner_id, key_prefix } = await anAgentAt(service);
    const ask = () => get(STATUS, { 'x-api-key': api_key });
    await statuses(11, ask);
    await service.ports.apiKeys.revoke(owner_id, key_prefix);
    expect([401, 429]).toContain((await ask()).status);
    await service.arrange.advance(SECOND);
    expect((await ask()).status).toBe(401);
  });
});
