import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { bodyOf, IDP, openServiceWithProvider, type ServiceWithProvider } from '../../harness/identity/service.ts';
import { tokensOf } from '../../harness/identity/tokens.ts';
import { STORAGES } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/public/auth/status';
const KEYS = '/api/v1/owner/auth/api-keys';
const AGENTS_NOBODY = '/api/v1/agent/decisions/dec_20260101_00000000';

describe.each(STORAGES)('owners by bearer token on %s', (storage) => {
  let service: ServiceWithProvider;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT });
  });
  afterAll(() => service.close());

  const get = (path: string, token: string) => request(service.app).get(path).set('authorization', `Bearer ${token}`);
  const tokenOf = async (user: string) => (await tokensOf(service.provider, user)).access_token;
  /** The owner_id that the service finds for the bearer. */
  const ownerOf = async (token: string) => (await get(STATUS, token)).body.owner_id as string;

  test('the first token of a person creates the account, and each later one finds it', async () => {
    const reply = await get(STATUS, await tokenOf('ada'));
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ authenticated: true, credential: 'owner_bearer', agent_id: null, tier: 'free' });
    const owner = await service.ports.owners.find(reply.body.owner_id);
    expect(owner).toMatchObject({ email: null, password_hash: null, role: 'owner', created_at: AT });
    expect(await ownerOf(await tokenOf('ada'))).toBe(reply.body.owner_id);
    expect(await ownerOf(await tokenOf('grace'))).not.toBe(reply.body.owner_id);
  });

  test('20 requests at once with the first token create one account', async () => {
    const token = await tokenOf('twenty');
    const owners = await Promise.all(Array.from({ length: 20 }, () => ownerOf(token)));
    expect(new Set(owners).size).toBe(1);
    expect(owners[0]).toMatch(/^[\da-f-]{36}$/);
  });

  test('a login through the provider and its tokens lead to the same account', async () => {
    const { owner_id } = bodyOf(await service.browserOf('both').visit(IDP));
    expect(await ownerOf(await tokenOf('both'))).toBe(owner_id);
  });

  test('it opens the owner area, and changes need no page of the service', async () => {
    const token = await tokenOf('ada');
    const created = await request(service.app)
      .post(KEYS)
      .set({ authorization: `Bearer ${token}`, origin: 'https://dashboard.test' })
      .send({ agent_name: 'Scout' });
    expect(created.status).toBe(201);
    const listed = await get(KEYS, token);
    expect(listed.body.items ?? listed.body).toMatchObject([{ key_prefix: created.body.key_prefix }]);
  });

  test('it reads for agents, cannot submit, log out or change a password', async () => {
    const token = await tokenOf('ada');
    expect((await get(AGENTS_NOBODY, token)).status).toBe(404);
    const refused = await Promise.all([
      request(service.app).post('/api/v1/agent/decisions').set('authorization', `Bearer ${token}`).send({}),
      request(service.app).post('/api/v1/owner/auth/logout').set('authorization', `Bearer ${token}`),
      request(service.app).put('/api/v1/owner/password').set('authorization', `Bearer ${token}`).send({}),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(Array(3).fill([403, 'FORBIDDEN']));
  });

  test('the admin area opens to the bearer of an admin from the next request on', async () => {
    const token = await tokenOf('operator');
    const path = '/api/v1/admin/instruments/crypto/BTC/BINANCE/spot/USDT/refresh';
    const refresh = () => request(service.app).post(path).set('authorization', `bearer ${token}`);
    expect((await refresh()).body.error.code).toBe('ADMIN_REQUIRED');
    await service.operators.ownerAdministration.setRole(await ownerOf(token), 'admin');
    expect((await refresh()).status).toBe(202);
  });

  test('401 UNAUTHORIZED for an id token, a token that was changed, and none', async () => {
    const { access_token, id_token } = await tokensOf(service.provider, 'ada');
    const [header, payload = '', signature] = access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'grace' })).toString('base64url');
    for (const token of [id_token, `${header}.${changed}.${signature}`, 'x', 'a.b.c', '\u00ff']) {
      const { status, body } = await get(STATUS, token);
      expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  test('an invalid bearer is refused even with a valid session', async () => {
    const browser = service.browserOf('ada');
    await browser.visit(IDP);
    const cookie = `__Host-sid=${browser.cookies.get('https://stancebook.test', '__Host-sid')}`;
    expect((await request(service.app).get(KEYS).set({ cookie })).status).toBe(200);
    expect((await get(KEYS, 'x').set({ cookie })).status).toBe(401);
  });

  test('the tokens of the provider stay valid while it is down', async () => {
    const token = await tokenOf('ada');
    expect((await get(STATUS, token)).status).toBe(200);
    await service.provider.stop();
    try {
      expect((await get(STATUS, token)).status).toBe(200);
    } finally {
      await service.provider.start();
    }
  });
});

describe.each(STORAGES)('with a provider that never answered, on %s', (storage) => {
  test('503 SERVICE_UNAVAILABLE for bearers and logins, and the log has the cause', async () => {
    const service = await openServiceWithProvider(storage, { at: AT });
    try {
      const { access_token } = await tokensOf(service.provider, 'ada');
      await service.provider.stop();
      const bearer = await request(service.app).get(STATUS).set('authorization', `Bearer ${access_token}`);
      const login = await request(service.app).get('/api/v1/public/auth/idp');
      for (const { status, body, headers } of [bearer, login]) {
        expect([status, body.error.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
        expect(headers['set-cookie']).toBeUndefined();
      }
      const entries = service.log.filter((line) => line.includes('The identity provider failed'));
      expect(entries.map((line) => JSON.parse(line).code)).toEqual(['ECONNREFUSED']);
      expect(service.log.filter((line) => line.includes(access_token))).toEqual([]);
    } finally {
      await service.close();
    }
  });
});
