import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../../application/accounts/operators/owner-changes.ts';
import type { PasswordHasher } from '../../../../domain/accounts/sign-in/password.ts';
import { DAY, MINUTE, SECOND } from '../../../../domain/time.ts';
import { aKeyHolder, KEYS, type KeyHolder } from '../../../harness/api-keys.ts';
import { FACTOR_ACR } from '../../../harness/identity/provider.ts';
import { IDP, ORIGIN, openServiceWithProvider, type ServiceWithProvider } from '../../../harness/identity/service.ts';
import { tokensOf } from '../../../harness/identity/tokens.ts';
import { STORAGES } from '../../../harness/service.ts';
import { cookieOf, LOGIN, logIn, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const PATH = '/api/v1/owner/auth/reauthenticate';
const REQUIRED = [401, 'REAUTHENTICATION_REQUIRED'];

describe.each(STORAGES)('a recent login on %s', (storage) => {
  let service: ServiceWithProvider;
  /** Runs after a password has been verified. */
  let verified: () => Promise<unknown>;
  beforeAll(async () => {
    const held = ({ passwords }: { readonly passwords: PasswordHasher }) => ({
      passwords: {
        ...passwords,
        async verify(...asked: Parameters<PasswordHasher['verify']>) {
          const isRight = await passwords.verify(...asked);
          await verified();
          return isRight;
        },
      },
    });
    service = await openServiceWithProvider(storage, { at: new Date(), env: { REAUTH_MINUTES: '30' }, ports: held });
  });
  beforeEach(async () => {
    verified = async () => undefined;
    // The provider's clock is that of the machine.
    await service.arrange.freeze(new Date());
  });
  afterAll(() => service.close());

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const reauthenticate = (cookie: string, password = PASSWORD) =>
    request(service.app)
      .post(PATH)
      .set({ cookie, ...OWN_PAGE })
      .send({ password });
  const create = (headers: Readonly<Record<string, string>>) =>
    request(service.app).post(KEYS).set(headers).send({ permission_mode: 'read_only' });
  const statusFor = async (cookie: string) => (await request(service.app).get(KEYS).set({ cookie })).status;
  const sessionOf = (id: string | undefined) => ({ cookie: `__Host-sid=${id}`, ...OWN_PAGE });

  /** What needs a recent login, on a key of the owner. */
  const guarded = (holder: KeyHolder, key_prefix: string) => [
    holder.create(),
    holder.update(key_prefix, { permission_mode: 'read_write' }),
    holder.rotate(key_prefix),
  ];

  test('keys are made, raised and rotated for 30 minutes after a login, and after that the reply says what to do', async () => {
    const holder = await aKeyHolder(service);
    const { key_prefix } = (await holder.create()).body;
    await service.arrange.advance(30 * MINUTE - 1);
    expect((await holder.update(key_prefix, { permission_mode: 'read_write' })).status).toBe(200);
    await service.arrange.advance(1);
    for (const reply of await Promise.all(guarded(holder, key_prefix))) {
      expect(codeOf(reply)).toEqual(REQUIRED);
      expect(reply.body.error).toMatchObject({ category: 'auth_failed', retry_after_seconds: null });
      expect(reply.body.error.message).toContain('30 minutes');
      expect(reply.body.error.suggestion).toContain(`POST ${PATH}`);
      expect(reply.headers['www-authenticate']).toBe(`${CHALLENGE}, max_age="1800"`);
    }
    const items = (await holder.list()).body.items.map((key: { key_prefix: string }) => key.key_prefix);
    expect(items).toEqual([key_prefix]);
  });

  test('lowering and revoking a key need none', async () => {
    const holder = await aKeyHolder(service);
    const { key_prefix } = (await holder.create()).body;
    await service.arrange.advance(HOUR);
    expect((await holder.update(key_prefix, { permission_mode: 'read_only' })).status).toBe(200);
    expect((await holder.revoke(key_prefix)).status).toBe(204);
  });

  test('200: the password gives a new session, and the one of the request ends', async () => {
    const holder = await aKeyHolder(service);
    await service.arrange.advance(HOUR);
    const reply = await reauthenticate(holder.cookie);
    const at = await service.ports.clock.now();
    const session_expires_at = new Date(at.getTime() + 7 * DAY).toISOString();
    expect([reply.status, reply.body]).toEqual([
      200,
      { owner_id: holder.owner_id, email: holder.email, role: 'owner', tier: 'free', session_expires_at, ...IDLE },
    ]);
    const cookie = cookieOf(reply);
    expect([cookie === holder.cookie, await statusFor(holder.cookie), await statusFor(cookie)]).toEqual([
      false,
      401,
      200,
    ]);
    expect((await create({ cookie, ...OWN_PAGE })).status).toBe(201);
    const listed = await request(service.app).get('/api/v1/owner/auth/sessions').set({ cookie });
    expect(listed.body.items).toMatchObject([{ authenticated_at: at.toISOString(), current: true }]);
  });

  test('401 INVALID_CREDENTIALS for a wrong password, which counts as a failed login; the session stays', async () => {
    const holder = await aKeyHolder(service);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect(codeOf(await reauthenticate(holder.cookie, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS']);
    }
    expect(codeOf(await reauthenticate(holder.cookie))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await request(service.app).post(LOGIN).send({ email: holder.email, password: PASSWORD })).status).toBe(429);
    expect(await statusFor(holder.cookie)).toBe(200);
  });

  test('401 for a session that ends while the password is checked, which begins no new one', async () => {
    const holder = await aKeyHolder(service);
    const other = cookieOf(await logIn(service, holder.email));
    verified = async () => {
      verified = async () => undefined;
      await request(service.app)
        .delete('/api/v1/owner/auth/sessions')
        .set({ cookie: other, ...OWN_PAGE });
    };
    const reply = await reauthenticate(holder.cookie);
    expect([...codeOf(reply), reply.headers['set-cookie']]).toEqual([401, 'UNAUTHORIZED', undefined]);
    expect(await service.ports.sessions.list(holder.owner_id)).toHaveLength(1);
  });

  test('of 8 at once by one session one succeeds', async () => {
    const holder = await aKeyHolder(service);
    const replies = await Promise.all(Array.from({ length: 8 }, () => reauthenticate(holder.cookie)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await service.ports.sessions.list(holder.owner_id)).toHaveLength(1);
  });

  test('a person without a password logs in at the provider again, also where the provider knows the browser', async () => {
    const browser = service.browserOf('ada');
    const logInBy = async (address: string) => {
      expect((await browser.visit(address)).status).toBe(200);
      return sessionOf(browser.cookies.get(ORIGIN, '__Host-sid'));
    };
    const first = await logInBy(IDP);
    expect((await create(first)).status).toBe(201);
    const { status, body } = await reauthenticate(first.cookie);
    expect([status, body.error.code]).toEqual([403, 'PASSWORDLESS_ACCOUNT']);
    const prompts = () => service.provider.requests.filter((each) => each.startsWith('GET /interaction/')).length;
    const before = prompts();
    await service.arrange.advance(HOUR);
    expect(codeOf(await create(await logInBy(IDP)))).toEqual(REQUIRED);
    expect(prompts()).toBe(before);
    await service.arrange.freeze(new Date());
    expect((await create(await logInBy(`${IDP}?fresh=true`))).status).toBe(201);
    expect(prompts()).toBe(before + 1);
  });

  test('a bearer token is judged by its auth_time', async () => {
    const { access_token } = await tokensOf(service.provider, 'grace');
    const bearer = { authorization: `Bearer ${access_token}` };
    expect((await create(bearer)).status).toBe(201);
    await service.arrange.advance(HOUR);
    const { body, status, headers } = await create(bearer);
    expect([status, body.error.code]).toEqual(REQUIRED);
    expect(body.error.suggestion).toContain('prompt=login');
    expect(headers['www-authenticate']).toBe(`${CHALLENGE}, max_age="1800"`);
    expect((await request(service.app).get(KEYS).set(bearer)).status).toBe(200);
  });

  test('the password is not in the log', () => {
    expect(service.log.join()).toContain(PATH);
    expect(service.log.join()).not.toContain(PASSWORD);
  });
});

/** What the challenge of a refusal asks the provider for (RFC 9470), as parameters of an authorization request. */
function requestedOf({ headers }: request.Response): Record<string, string> {
  const challenge = headers['www-authenticate'] ?? '';
  expect(challenge.startsWith(CHALLENGE)).toBe(true);
  return Object.fromEntries(
    [...challenge.matchAll(/(max_age|acr_values)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

describe.each(STORAGES)('access tokens without auth_time on %s', (storage) => {
  let service: ServiceWithProvider;
  let strict: ServiceWithProvider;
  beforeAll(async () => {
    const at = new Date();
    service = await openServiceWithProvider(storage, { at, authTime: false, env: { ADMIN_FACTOR: 'required' } });
    strict = await openServiceWithProvider(storage, { at, authTime: false, env: { IDP_REQUIRE_AUTH_TIME: 'true' } });
  });
  beforeEach(async () => {
    await service.arrange.freeze(new Date());
  });
  afterAll(async () => {
    await service.close();
    await strict.close();
  });

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const bearerOf = async (by: ServiceWithProvider, user: string, more: Readonly<Record<string, string>> = {}) => ({
    authorization: `Bearer ${(await tokensOf(by.provider, user, more)).access_token}`,
  });
  const create = (by: ServiceWithProvider, headers: Readonly<Record<string, string>>) =>
    request(by.app).post(KEYS).set(headers).send({ label: 'A key of a dashboard' });

  test('a new one makes, raises and rotates keys for 10 minutes after its issue', async () => {
    const bearer = await bearerOf(service, 'ada');
    const made = await create(service, bearer);
    expect(made.status).toBe(201);
    const path = `${KEYS}/${made.body.key_prefix}`;
    const raised = await request(service.app).patch(path).set(bearer).send({ permission_mode: 'read_write' });
    const rotated = await request(service.app).post(`${path}/rotate`).set(bearer);
    expect([raised.status, rotated.status]).toEqual([200, 200]);
    await service.arrange.advance(10 * MINUTE + SECOND);
    const refused = await create(service, bearer);
    expect(codeOf(refused)).toEqual(REQUIRED);
    expect(refused.body.error.suggestion).toContain('max_age=600');
    await service.arrange.freeze(new Date());
    expect((await create(service, await bearerOf(service, 'ada', requestedOf(refused)))).status).toBe(201);
  });

  test('after a login with a second factor the challenge asks for one again', async () => {
    const bearer = await bearerOf(service, 'hedy', { acr_values: FACTOR_ACR });
    await service.arrange.advance(HOUR);
    const requested = requestedOf(await create(service, bearer));
    expect(requested).toEqual({ max_age: '600', acr_values: FACTOR_ACR });
  });

  test('an admin whose token tells of no second factor learns which level to ask for, and is served with it', async () => {
    const bearer = await bearerOf(service, 'mary');
    const { owner_id } = (await request(service.app).get('/api/v1/public/auth/status').set(bearer)).body;
    await changeRole(service.operators, owner_id, 'admin', 'test');
    const read = (headers: Readonly<Record<string, string>>) =>
      request(service.app).get('/api/v1/admin/status').set(headers);
    const refused = await read(bearer);
    expect(codeOf(refused)).toEqual([403, 'FACTOR_REQUIRED']);
    const requested = requestedOf(refused);
    expect(requested).toEqual({ acr_values: FACTOR_ACR });
    expect((await read(await bearerOf(service, 'mary', requested))).status).toBe(200);
  });

  test('with IDP_REQUIRE_AUTH_TIME they make no keys, and the reply says what is missing', async () => {
    const bearer = await bearerOf(strict, 'ada');
    const refused = await create(strict, bearer);
    expect(codeOf(refused)).toEqual(REQUIRED);
    expect(refused.body.error.message).toContain('auth_time');
    expect(refused.body.error.suggestion).toContain('write auth_time');
    expect((await request(strict.app).get(KEYS).set(bearer)).status).toBe(200);
  });
});

const HOUR = 60 * MINUTE;
const CHALLENGE = 'Bearer realm="stancebook", error="insufficient_user_authentication"';
const IDLE = { session_idle_seconds: 43_200 };
