import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { SECOND } from '../../../../domain/time.ts';
import { codeAt } from '../../../harness/one-time-code.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const FACTORS = '/api/v1/owner/auth/factors';
const KEYS = '/api/v1/owner/auth/api-keys';
const STATUS = '/api/v1/public/auth/status';
const SETUP = '/api/v1/public/auth/quick-setup';

describe.each(STORAGES)('owners who need a second factor, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, {
      at: new Date('2026-03-02T12:00:00.000Z'),
      env: { OWNER_FACTOR: 'required' },
    });
  });
  afterAll(() => service.close());

  const read = (path: string, headers: Readonly<Record<string, string>>) => request(service.app).get(path).set(headers);
  const post = (path: string, cookie: string, body?: object) =>
    request(service.app)
      .post(path)
      .set({ cookie, ...OWN_PAGE })
      .send(body);
  const codeOf = async (secret: string) => codeAt(secret, await service.ports.clock.now());

  async function anOwner() {
    const { email } = await aPasswordOwner(service);
    return { email: email ?? '', cookie: cookieOf(await logIn(service, email ?? '')) };
  }

  /** The cookie of a session with the app that was added in this one. */
  async function enrolled(cookie: string) {
    const { secret } = (await post(`${FACTORS}/totp`, cookie)).body;
    const confirmed = await post(`${FACTORS}/totp/confirm`, cookie, { totp: await codeOf(secret) });
    expect(confirmed.status).toBe(200);
    return { cookie: cookieOf(confirmed), secret };
  }

  test('a new session says what it needs, is refused elsewhere with the next step, and is served after the enrolment', async () => {
    const { cookie } = await anOwner();
    const status = await read(STATUS, { cookie });
    expect(status.body).toMatchObject({ can_query: false, owner: { needs_factor: true } });
    expect((await read(FACTORS, { cookie })).body).toMatchObject({ required: true, session_factor: null });
    for (const refused of [await read(KEYS, { cookie }), await post(KEYS, cookie, { label: 'x' })]) {
      expect([refused.status, refused.body.error.code]).toEqual([403, 'FACTOR_REQUIRED']);
      expect(refused.body.error.suggestion).toContain(`POST ${FACTORS}/totp`);
    }
    const { cookie: next } = await enrolled(cookie);
    expect((await read(STATUS, { cookie: next })).body).toMatchObject({
      can_query: true,
      owner: { needs_factor: false },
    });
    expect((await read(KEYS, { cookie: next })).status).toBe(200);
    const made = await post(KEYS, next, { permission_mode: 'read_only' });
    expect(made.status).toBe(201);
    expect((await read(STATUS, { 'x-api-key': made.body.api_key })).status).toBe(200);
  });

  test('the last factor stays', async () => {
    const { cookie } = await enrolled((await anOwner()).cookie);
    const { status, body } = await request(service.app)
      .delete(`${FACTORS}/totp`)
      .set({ cookie, ...OWN_PAGE });
    expect([status, body.error.code]).toEqual([403, 'FACTOR_REQUIRED']);
    expect(body.error.suggestion).toContain('Add another one first');
  });

  test('a login without the factor may end itself, and log in again with it', async () => {
    const { cookie, email } = await anOwner();
    expect((await post('/api/v1/owner/auth/logout', cookie)).status).toBe(204);
    const { secret } = await enrolled(cookieOf(await logIn(service, email)));
    await service.arrange.advance(30 * SECOND);
    const proof = { email, password: PASSWORD, totp: await codeOf(secret) };
    const login = await request(service.app).post('/api/v1/public/auth/login').send(proof);
    expect((await read(KEYS, { cookie: cookieOf(login) })).status).toBe(200);
  });

  test('quick setup opens no account there, and says what to do; signing up does', async () => {
    const account = { email: 'new@example.com', password: PASSWORD };
    const refused = await request(service.app).post(SETUP).send(account);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FACTOR_REQUIRED']);
    expect(refused.body.error.suggestion).toContain('POST /api/v1/public/auth/register');
    expect((await request(service.app).post('/api/v1/public/auth/register').send(account)).status).toBe(201);
  });
});

test('the document names the refusal wherever an owner can get it, and where a factor is added it does not', async () => {
  const service = await openService('memory', { at: new Date('2026-03-02T12:00:00.000Z') });
  try {
    const { body } = await request(service.app).get('/openapi.json');
    const refusalOf = (path: string, method: string) => JSON.stringify(body.paths[path][method].responses[403] ?? {});
    expect(refusalOf(KEYS, 'post')).toContain('FactorRequired');
    expect(refusalOf('/api/v1/agent/decisions/{record_id}', 'get')).toContain('FactorRequired');
    expect(refusalOf('/api/v1/agent/decisions', 'post')).not.toContain('FactorRequired');
    expect(refusalOf(`${FACTORS}/totp`, 'post')).not.toContain('FactorRequired');
  } finally {
    await service.close();
  }
});

test('without OWNER_FACTOR an owner needs none', async () => {
  const service = await openService('memory', { at: new Date('2026-03-02T12:00:00.000Z') });
  try {
    const { email } = await aPasswordOwner(service);
    const cookie = cookieOf(await logIn(service, email ?? ''));
    const { body } = await request(service.app).get(STATUS).set({ cookie });
    expect(body).toMatchObject({ can_query: true, owner: { needs_factor: false } });
    expect((await request(service.app).get(KEYS).set({ cookie })).status).toBe(200);
  } finally {
    await service.close();
  }
});
