import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { PasswordHasher } from '../../../../domain/accounts/sign-in/password.ts';
import { DAY } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { aPasswordOwner, cookieOf, LOGIN, LOGOUT, logIn, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const BATCH = '/api/v1/agent/decisions/batch';
const NO_RECORD = { record_ids: ['dec_20260101_00000000'] };

describe.each(STORAGES)('login on %s', (storage) => {
  let service: TestService;
  let hashed: (string | null)[];
  beforeAll(async () => {
    service = await openService(storage, { at: AT, ports: ({ passwords }) => ({ passwords: watched(passwords) }) });
  });
  beforeEach(() => {
    hashed = [];
  });
  afterAll(() => service.close());

  /** Records the hash with which each password is compared. */
  function watched(passwords: PasswordHasher): PasswordHasher {
    return {
      ...passwords,
      verify(password, hash) {
        hashed.push(hash);
        return passwords.verify(password, hash);
      },
    };
  }

  const post = (path: string, body: unknown, headers = {}) =>
    request(service.app).post(path).set(headers).set('content-type', 'application/json').send(JSON.stringify(body));
  /** The status of a request with this session: 200 while it is open, else 401. */
  const statusFor = async (cookie: string) => (await post(BATCH, NO_RECORD, { cookie, ...OWN_PAGE })).status;

  test.each([LOGIN, '/api/v1/public/auth/idp/device'])(
    '403 for a page of another site that sends a POST to %s, also as a form, and no password is checked',
    async (path) => {
      const { email } = await aPasswordOwner(service);
      const body = path === LOGIN ? { email, password: PASSWORD } : undefined;
      const from = (headers: object) => post(path, body, headers);
      const form = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      for (const headers of [{}, form]) {
        const reply = await from({ 'sec-fetch-site': 'cross-site', ...headers });
        expect([reply.status, reply.body.error.code]).toEqual([403, 'CROSS_ORIGIN_SESSION']);
        expect(reply.headers['set-cookie']).toBeUndefined();
      }
      expect(hashed).toEqual([]);
      for (const site of ['same-origin', 'same-site', 'none']) {
        expect((await from({ 'sec-fetch-site': site })).status).toBe(path === LOGIN ? 200 : 503);
      }
    },
  );

  test('200 returns the owner and when the session expires, but not the session id', async () => {
    const { owner_id, email } = await aPasswordOwner(service);
    const reply = await logIn(service, email.toUpperCase());
    expect(reply.status).toBe(200);
    const session_expires_at = new Date(AT.getTime() + 7 * DAY).toISOString();
    expect(reply.body).toEqual({
      owner_id,
      email,
      role: 'owner',
      tier: 'free',
      session_expires_at,
      session_idle_seconds: 43_200,
    });
    const [, id = ''] = cookieOf(reply).split('=');
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(reply.text).not.toContain(id);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(await statusFor(cookieOf(reply))).toBe(200);
  });

  test('the cookie on plain http: sid, for no script and no form of another site', async () => {
    const { headers } = await logIn(service, (await aPasswordOwner(service)).email);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^sid=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^device=[\w.-]{66}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('401 INVALID_CREDENTIALS in the same words and with the same work, whether the email is known or not', async () => {
    const { email } = await aPasswordOwner(service);
    const wrong = await post(LOGIN, { email, password: `${PASSWORD}.` });
    const unknown = await post(LOGIN, { email: 'nobody@example.com', password: PASSWORD });
    for (const { status, body, headers } of [wrong, unknown]) {
      expect([status, body.error.code, body.error.category]).toEqual([401, 'INVALID_CREDENTIALS', 'auth_failed']);
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect({ ...unknown.body.error, request_id: '' }).toEqual({ ...wrong.body.error, request_id: '' });
    expect(hashed).toEqual([expect.any(String), null]);
  });

  test('401 for an account without a password, whatever is sent', async () => {
    const { owner_id } = await aPasswordOwner(service);
    const owner = await service.ports.owners.find(owner_id);
    if (!owner) throw new Error('The owner is not there.');
    const another = { ...owner, owner_id: owner_id.replace(/^......../, '01234567'), email: 'provider@example.com' };
    await service.ports.owners.add({ ...another, password_hash: null });
    for (const password of ['', 'null', PASSWORD]) {
      expect((await post(LOGIN, { email: another.email, password })).status).toBe(401);
    }
  });

  test.each([
    [{ email: 'ada@example.com' }, 'password'],
    [{ password: PASSWORD }, 'email'],
    [{ email: 'no email', password: PASSWORD }, 'email'],
    [{ email: ['ada@example.com'], password: PASSWORD }, 'email'],
    [{ email: 'ada@example.com', password: PASSWORD, role: 'admin' }, 'role'],
  ])('400 VALIDATION_ERROR for %j, and no password is hashed', async (body, path) => {
    const reply = await post(LOGIN, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
    expect(hashed).toEqual([]);
  });

  test('a login never adopts the session id of the request, and a made-up id stays invalid', async () => {
    const { email } = await aPasswordOwner(service);
    const planted = `sid=${'A'.repeat(43)}`;
    const reply = await logIn(service, email, { cookie: planted });
    expect(reply.status).toBe(200);
    expect(cookieOf(reply)).not.toBe(planted);
    expect([await statusFor(planted), await statusFor(cookieOf(reply))]).toEqual([401, 200]);
  });

  test('the session of the request ends with a successful login only', async () => {
    const { email } = await aPasswordOwner(service);
    const [first, elsewhere] = [cookieOf(await logIn(service, email)), cookieOf(await logIn(service, email))];
    await post(LOGIN, { email, password: 'wrong' }, { cookie: first });
    expect(await statusFor(first)).toBe(200);
    const second = cookieOf(await logIn(service, email, { cookie: first }));
    expect(second).not.toBe(first);
    expect([await statusFor(first), await statusFor(second), await statusFor(elsewhere)]).toEqual([401, 200, 200]);
  });

  test.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5_000), "' or 1=1 --", '%00', '\u00e9'])(
    'the cookie %.20j is no valid session, and does not prevent a login',
    async (id) => {
      const { email } = await aPasswordOwner(service);
      const cookie = `a=b; sid=${id}`;
      expect(await statusFor(cookie)).toBe(401);
      expect((await logIn(service, email, { cookie })).status).toBe(200);
    },
  );

  test('a session reads its owner’s records and does not submit', async () => {
    const account = { email: 'reader@example.com', password: PASSWORD };
    const { api_key } = (await post('/api/v1/public/auth/quick-setup', account)).body;
    const submitted = await post('/api/v1/agent/decisions', aSubmission(AT), { 'x-api-key': api_key });
    const path = `/api/v1/agent/decisions/${submitted.body.record_id}`;
    const [own, foreign] = [
      await logIn(service, account.email),
      await logIn(service, (await aPasswordOwner(service)).email),
    ];
    const read = (login: request.Response) =>
      request(service.app)
        .get(path)
        .set({ cookie: cookieOf(login) });
    expect((await read(own)).body.view).toBe('owner');
    expect((await read(foreign)).status).toBe(404);
    const headers = { cookie: cookieOf(own), ...OWN_PAGE };
    const { status, body } = await post('/api/v1/agent/decisions', aSubmission(AT), headers);
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
  });

  test('neither the password nor the session is in the log', async () => {
    const { email } = await aPasswordOwner(service);
    const reply = await logIn(service, email);
    await post(LOGOUT, undefined, { cookie: cookieOf(reply), ...OWN_PAGE });
    const log = service.log.join('\n');
    expect(log).toContain(LOGIN);
    for (const secret of [PASSWORD, email, cookieOf(reply).slice(4)]) expect(log).not.toContain(secret);
  });
});

test('on https the cookie has the __Host- prefix and the attribute Secure', async () => {
  const service = await openService('memory', {
    at: AT,
    env: { PUBLIC_URL: 'https://stancebook.example', ALLOWED_HOSTS: '127.0.0.1' },
  });
  const reply = await logIn(service, (await aPasswordOwner(service)).email);
  expect(reply.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-sid=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/),
    expect.stringMatching(/^__Host-device=[\w.-]{66}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/),
  ]);
  const leave = (cookie: string) =>
    request(service.app)
      .post(LOGOUT)
      .set({ cookie, ...OWN_PAGE });
  expect((await leave(cookieOf(reply).replace('__Host-', ''))).status).toBe(401);
  const left = await leave(cookieOf(reply));
  expect(left.headers['set-cookie']).toEqual(['__Host-sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure']);
  await service.close();
});
