import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { MINUTE, SECOND } from '../../../../domain/time.ts';
import { KEYS } from '../../../harness/api-keys.ts';
import { codeAt } from '../../../harness/one-time-code.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, LOGIN, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';
import { type Ceremony, SoftAuthenticator } from '../../../harness/soft-authenticator.ts';

const FACTORS = '/api/v1/owner/auth/factors';
const PASSKEY = '/api/v1/public/auth/passkey';
const REAUTHENTICATE = '/api/v1/owner/auth/reauthenticate';
const NOON = new Date('2026-03-02T12:00:10.000Z');
const HOST = 'localhost:3000';
const HERE: Ceremony = { origin: `http://${HOST}`, rpId: 'localhost' };
const REFUSED = [401, 'INVALID_CREDENTIALS'];

describe.each(STORAGES)('passkeys on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: NOON });
  });
  beforeEach(async () => {
    await service.arrange.freeze(NOON);
  });
  afterAll(() => service.close());

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const get = (path: string, cookie: string) => request(service.app).get(path).set({ cookie, host: HOST });
  const post = (path: string, cookie: string, body?: object) =>
    request(service.app)
      .post(path)
      .set({ cookie, host: HOST, ...OWN_PAGE })
      .send(body);
  const remove = (path: string, cookie: string) =>
    request(service.app)
      .delete(path)
      .set({ cookie, ...OWN_PAGE });
  const statusOf = async (cookie: string) => (await get(KEYS, cookie)).status;
  const eventsOf = async (owner_id: string) =>
    (await service.ports.securityEvents.list({ owner_id }, null, 100)).map(({ kind, result, subject }) =>
      [kind, result, subject].filter((part) => part !== null).join(' '),
    );
  /** A registration that a browser begins, with what it sends with the answer. */
  async function offered(cookie: string) {
    const reply = await post(`${FACTORS}/passkeys/options`, cookie);
    expect(reply.status).toBe(200);
    return { options: reply.body, cookies: `${cookie}; ${cookieOf(reply)}` };
  }

  /** A login that a browser begins: what it sends with the answer. */
  async function begun() {
    const reply = await post(`${PASSKEY}/options`, '');
    expect(reply.status).toBe(200);
    return { options: reply.body, cookie: cookieOf(reply) };
  }
  const answer = (cookie: string, passkey: object) => post(PASSKEY, cookie, { passkey });

  /** An owner with a passkey of an authenticator. */
  async function anEnrolled() {
    const owner = await anOwnerLoggedIn(service);
    const authenticator = new SoftAuthenticator();
    const { options, cookies } = await offered(owner.cookie);
    const passkey = authenticator.create(options, HERE);
    const reply = await post(`${FACTORS}/passkeys`, cookies, { name: 'Laptop', passkey });
    expect(codeOf(reply)).toEqual([201, undefined]);
    const { passkey_id } = reply.body.passkey;
    const codes: readonly string[] = reply.body.recovery_codes;
    return { ...owner, before: owner.cookie, cookie: cookieOf(reply), authenticator, passkey_id, codes };
  }

  test('registration: a passkey is a factor, all sessions of before end, and recovery codes come with the first one', async () => {
    const { before, cookie, owner_id, passkey_id, codes, email } = await anEnrolled();
    expect([await statusOf(before), await statusOf(cookie)]).toEqual([401, 200]);
    expect(codes).toHaveLength(10);
    expect((await get(FACTORS, cookie)).body).toMatchObject({
      totp: null,
      passkeys: [{ passkey_id, name: 'Laptop', synced: false, created_at: NOON.toISOString(), last_used_at: null }],
      recovery_codes_left: 10,
      session_factor: 'passkey',
    });
    expect(await eventsOf(owner_id)).toContain('factor_added success passkey');
    const reply = await request(service.app).post(LOGIN).send({ email, password: PASSWORD });
    expect(codeOf(reply)).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
    expect(reply.body.error.suggestion).toContain(`POST ${PASSKEY}/options`);
    const exported = (await get('/api/v1/owner/export', cookie)).text;
    expect(exported).toContain('"type":"passkeys"');
  });

  test('registration: the options name the place, the owner without personal data, and what is registered already', async () => {
    const { cookie, authenticator, email, owner_id } = await anEnrolled();
    const { options } = await offered(cookie);
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { id: Buffer.from(owner_id.replaceAll('-', ''), 'hex').toString('base64url'), name: email },
      timeout: 5 * MINUTE,
      excludeCredentials: [{ type: 'public-key', id: authenticator.id.toString('base64url') }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    expect(Buffer.from(options.challenge, 'base64url')).toHaveLength(32);
  });

  test('registration: an answer that is not made for this session, page and challenge is refused, and in the trail', async () => {
    const owner = await anOwnerLoggedIn(service);
    const other = await anOwnerLoggedIn(service);
    const register = (passkey: object, cookies: string) =>
      post(`${FACTORS}/passkeys`, cookies, { name: 'Laptop', passkey });
    const wrong: readonly (Partial<Ceremony> & { readonly challenge?: string })[] = [
      { origin: 'http://evil.example' },
      { origin: 'http://localhost:3001' },
      { rpId: 'evil.example' },
      { verifiesUser: false },
      { crossOrigin: true },
      { type: 'webauthn.get' },
      { challenge: Buffer.alloc(32, 7).toString('base64url') },
      { challenge: 'x' },
    ];
    for (const changes of wrong) {
      const { options, cookies } = await offered(owner.cookie);
      const passkey = new SoftAuthenticator().create({ ...options, ...changes }, { ...HERE, ...changes });
      const reply = await register(passkey, cookies);
      expect([changes, ...codeOf(reply)]).toEqual([changes, ...REFUSED]);
    }
    const { options, cookies } = await offered(owner.cookie);
    const passkey = new SoftAuthenticator().create(options, HERE);
    // Another account of this browser, another browser of this account.
    expect(codeOf(await register(passkey, `${other.cookie}; ${cookies.split('; ')[1]}`))).toEqual(REFUSED);
    expect(codeOf(await register(passkey, owner.cookie))).toEqual(REFUSED);
    await service.arrange.advance(5 * MINUTE);
    expect(codeOf(await register(passkey, cookies))).toEqual(REFUSED);
    const refused = (await eventsOf(owner.owner_id)).filter((event) => event === 'factor_failed failure passkey');
    expect(refused.length).toBeGreaterThan(0);
    expect((await get(FACTORS, owner.cookie)).body.passkeys).toEqual([]);
  });

  test('registration: a challenge makes one passkey, and a credential is that of one account', async () => {
    const owner = await anOwnerLoggedIn(service);
    const other = await anOwnerLoggedIn(service);
    const authenticator = new SoftAuthenticator();
    const mine = await offered(owner.cookie);
    const sent = { name: 'Laptop', passkey: authenticator.create(mine.options, HERE) };
    const replies = await Promise.all([1, 2, 3].map(() => post(`${FACTORS}/passkeys`, mine.cookies, sent)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    const { options, cookies } = await offered(other.cookie);
    const again = authenticator.create(options, HERE);
    const reply = await post(`${FACTORS}/passkeys`, cookies, { name: 'Stolen', passkey: again });
    expect(codeOf(reply)).toEqual(REFUSED);
  });

  test('registration needs a recent login, with a factor where there is one', async () => {
    const { cookie } = await anEnrolled();
    await service.arrange.advance(10 * MINUTE);
    for (const path of [`${FACTORS}/passkeys/options`, `${FACTORS}/totp`])
      expect(codeOf(await post(path, cookie))).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
  });

  test('an account has at most ten passkeys', async () => {
    let { cookie } = await anEnrolled();
    for (let count = 1; count < 10; count += 1) {
      const { options, cookies } = await offered(cookie);
      const passkey = new SoftAuthenticator().create(options, HERE);
      cookie = cookieOf(await post(`${FACTORS}/passkeys`, cookies, { name: `Key ${count}`, passkey }));
    }
    expect((await get(FACTORS, cookie)).body.passkeys).toHaveLength(10);
    expect(codeOf(await post(`${FACTORS}/passkeys/options`, cookie))).toEqual([429, 'TIER_LIMIT_REACHED']);
  });

  test('login: a passkey opens a session by itself, which has the factor', async () => {
    const { authenticator, owner_id, email, passkey_id } = await anEnrolled();
    const { options, cookie } = await begun();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    const reply = await answer(cookie, authenticator.get(options, HERE));
    expect([reply.status, reply.body.owner_id, reply.body.email]).toEqual([200, owner_id, email]);
    const listed = await get(FACTORS, cookieOf(reply));
    expect(listed.body).toMatchObject({
      session_factor: 'passkey',
      passkeys: [{ passkey_id, last_used_at: NOON.toISOString() }],
    });
    expect(await eventsOf(owner_id)).toContain('passkey_login success');
  });

  test('login: an answer is accepted once, also of 8 at once', async () => {
    const { authenticator, owner_id } = await anEnrolled();
    const { options, cookie } = await begun();
    const passkey = authenticator.get(options, HERE);
    const replies = await Promise.all(Array.from({ length: 8 }, () => answer(cookie, passkey)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(codeOf(await answer(cookie, passkey))).toEqual(REFUSED);
    expect(await eventsOf(owner_id)).toContain('passkey_login failure');
  });

  test.each<readonly [string, Partial<Ceremony>]>([
    ['of another site', { origin: 'http://evil.example' }],
    ['of another port', { origin: 'http://localhost:3001' }],
    ['for another place', { rpId: 'evil.example' }],
    ['without the verification of its user', { verifiesUser: false }],
    ['from a frame in another site', { crossOrigin: true }],
    ['of another kind', { type: 'webauthn.create' }],
    ['with the counter of the last one: a copy of the authenticator', { counter: 1 }],
    ['that names another user', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
  ])('login: an answer %s is refused, and in the trail', async (_, changes) => {
    const { authenticator, owner_id } = await anEnrolled();
    const { options, cookie } = await begun();
    const reply = await answer(cookie, authenticator.get(options, { ...HERE, ...changes }));
    expect([...codeOf(reply), reply.headers['set-cookie']]).toEqual([...REFUSED, undefined]);
    expect(await eventsOf(owner_id)).toContain('passkey_login failure');
    expect((await service.ports.sessions.list(owner_id)).length).toBe(1);
  });

  test('login: the answer of a browser to the challenge of another one is refused, and uses it not up', async () => {
    const { authenticator } = await anEnrolled();
    const [mine, other] = [await begun(), await begun()];
    const passkey = authenticator.get(mine.options, HERE);
    for (const cookie of ['', other.cookie]) expect(codeOf(await answer(cookie, passkey))).toEqual(REFUSED);
    expect((await answer(mine.cookie, passkey)).status).toBe(200);
  });

  test('login: a changed answer, another signature and an unknown passkey are refused', async () => {
    const [mine, other] = [await anEnrolled(), await anEnrolled()];
    const sent = async (change: (passkey: ReturnType<SoftAuthenticator['get']>) => object) => {
      const { options, cookie } = await begun();
      return codeOf(await answer(cookie, change(mine.authenticator.get(options, HERE))));
    };
    const unknown = new SoftAuthenticator().id.toString('base64url');
    const id = other.authenticator.id.toString('base64url');
    const { userHandle } = other.authenticator.get({ challenge: 'x' }, HERE).response;
    expect(await sent((passkey) => ({ ...passkey, id: unknown, rawId: unknown }))).toEqual(REFUSED);
    expect(await sent((passkey) => ({ ...passkey, id, response: { ...passkey.response, userHandle } }))).toEqual(
      REFUSED,
    );
    expect(await sent((passkey) => ({ ...passkey, response: { ...passkey.response, signature: 'AAAA' } }))).toEqual(
      REFUSED,
    );
    expect(
      await sent((passkey) => ({ ...passkey, response: { ...passkey.response, authenticatorData: 'AAAA' } })),
    ).toEqual(REFUSED);
    expect(
      await sent((passkey) => ({ ...passkey, response: { ...passkey.response, clientDataJSON: 'AAAA' } })),
    ).toEqual(REFUSED);
    expect(await sent(({ response: { userHandle: _, ...response }, ...rest }) => ({ ...rest, response }))).toEqual(
      REFUSED,
    );
    expect(await sent((passkey) => passkey)).toEqual([200, undefined]);
  });

  test('login: an answer comes too late after five minutes', async () => {
    const { authenticator } = await anEnrolled();
    const { options, cookie } = await begun();
    await service.arrange.advance(5 * MINUTE);
    expect(codeOf(await answer(cookie, authenticator.get(options, HERE)))).toEqual(REFUSED);
  });

  test('login: a suspended account is 403, and in the trail; a page of another site begins no login', async () => {
    const { authenticator, owner_id } = await anEnrolled();
    await service.operators.ownerAdministration.suspend(owner_id);
    const { options, cookie } = await begun();
    expect(codeOf(await answer(cookie, authenticator.get(options, HERE)))).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect(await eventsOf(owner_id)).toContain('passkey_login failure');
    for (const path of [PASSKEY, `${PASSKEY}/options`]) {
      const foreign = request(service.app).post(path).set({ 'sec-fetch-site': 'cross-site' });
      expect(codeOf(await foreign)).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    }
  });

  test('reauthentication by passkey replaces the session; a passkey of another account does not', async () => {
    const [mine, other] = [await anEnrolled(), await anEnrolled()];
    const prove = async (authenticator: SoftAuthenticator) => {
      const { options, cookie } = await begun();
      const passkey = authenticator.get(options, HERE);
      return post(REAUTHENTICATE, `${mine.cookie}; ${cookie}`, { passkey });
    };
    expect(codeOf(await prove(other.authenticator))).toEqual(REFUSED);
    expect(await eventsOf(mine.owner_id)).toContain('reauthentication failure');
    await service.arrange.advance(10 * MINUTE);
    const reply = await prove(mine.authenticator);
    expect(reply.status).toBe(200);
    const cookie = cookieOf(reply);
    expect([await statusOf(mine.cookie), await statusOf(cookie)]).toEqual([401, 200]);
    expect((await post(KEYS, cookie, { permission_mode: 'read_only' })).status).toBe(201);
    expect(codeOf(await post(REAUTHENTICATE, cookie, { password: PASSWORD }))).toEqual([401, 'SECOND_FACTOR_REQUIRED']);
  });

  test('a recovery code opens a session where the passkey is lost, also with the password alone beside it', async () => {
    const { email, codes, cookie, passkey_id } = await anEnrolled();
    const body = { email, password: PASSWORD, recovery_code: codes[0] };
    const reply = await request(service.app).post(LOGIN).send(body);
    expect(reply.status).toBe(200);
    expect((await remove(`${FACTORS}/passkeys/${passkey_id}`, cookieOf(reply))).status).toBe(204);
    expect(await statusOf(cookie)).toBe(401);
  });

  test('a passkey is renamed and removed by its owner alone, and opens nothing after that', async () => {
    const [mine, other] = [await anEnrolled(), await anEnrolled()];
    const path = `${FACTORS}/passkeys/${mine.passkey_id}`;
    const rename = (cookie: string) =>
      request(service.app)
        .patch(path)
        .set({ cookie, ...OWN_PAGE })
        .send({ name: ' Phone ' });
    expect(codeOf(await rename(other.cookie))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await remove(path, other.cookie))).toEqual([404, 'NOT_FOUND']);
    expect((await rename(mine.cookie)).body).toMatchObject({ passkey_id: mine.passkey_id, name: 'Phone' });
    const { options, cookie } = await begun();
    const passkey = mine.authenticator.get(options, HERE);
    expect((await remove(path, mine.cookie)).status).toBe(204);
    expect(codeOf(await answer(cookie, passkey))).toEqual(REFUSED);
    expect((await get(FACTORS, mine.cookie)).body).toMatchObject({ passkeys: [], recovery_codes_left: 0 });
    expect(await eventsOf(mine.owner_id)).toContain('factor_removed success passkey');
    expect((await request(service.app).post(LOGIN).send({ email: mine.email, password: PASSWORD })).status).toBe(200);
  });

  test('an app and passkeys are factors beside each other: each opens a session, and the last one takes the codes along', async () => {
    const { cookie, email, passkey_id, codes } = await anEnrolled();
    const { secret } = (await post(`${FACTORS}/totp`, cookie)).body;
    const confirmed = await post(`${FACTORS}/totp/confirm`, cookie, { totp: codeAt(secret, NOON) });
    expect(confirmed.body).toEqual({ recovery_codes: null });
    const next = cookieOf(confirmed);
    expect((await remove(`${FACTORS}/passkeys/${passkey_id}`, next)).status).toBe(204);
    expect((await get(FACTORS, next)).body.recovery_codes_left).toBe(codes.length);
    await service.arrange.advance(30 * SECOND);
    const totp = codeAt(secret, await service.ports.clock.now());
    expect((await request(service.app).post(LOGIN).send({ email, password: PASSWORD, totp })).status).toBe(200);
  });

  test('421 at an IP address, with the address to open instead', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    for (const path of [`${PASSKEY}/options`, `${FACTORS}/passkeys/options`]) {
      for (const host of ['127.0.0.1:3000', '[::1]:3000', 'nas.lan:3000']) {
        const reply = await request(service.app)
          .post(path)
          .set({ cookie, host, ...OWN_PAGE });
        expect(codeOf(reply)).toEqual([421, 'MISDIRECTED_REQUEST']);
        expect(reply.body.error.suggestion).toContain('Open http://localhost:3000 instead');
      }
    }
  });
});

describe('passkeys with PUBLIC_URL', () => {
  test('are bound to its host and its origin alone', async () => {
    const service = await openService('memory', { at: NOON, env: { PUBLIC_URL: 'https://stancebook.test' } });
    try {
      const send = (path: string, body?: object, cookie = '') =>
        request(service.app)
          .post(path)
          .set({ host: 'stancebook.test', cookie, ...OWN_PAGE })
          .send(body);
      const account = { email: 'ada@example.com', password: PASSWORD };
      await send('/api/v1/public/auth/register', account);
      const session = cookieOf(await send(LOGIN, account));
      const register = async (ceremony: Ceremony) => {
        const begun = await send(`${FACTORS}/passkeys/options`, undefined, session);
        const passkey = new SoftAuthenticator().create(begun.body, ceremony);
        const cookies = `${session}; ${cookieOf(begun)}`;
        return (await send(`${FACTORS}/passkeys`, { name: 'Laptop', passkey }, cookies)).status;
      };
      const here = { origin: 'https://stancebook.test', rpId: 'stancebook.test' };
      expect(await register({ ...here, origin: 'http://stancebook.test' })).toBe(401);
      expect(await register(HERE)).toBe(401);
      expect(await register(here)).toBe(201);
      const begun = await send(`${PASSKEY}/options`);
      expect([begun.headers['set-cookie']].flat()[0]).toMatch(/^__Host-passkey=.*; HttpOnly; SameSite=Lax; Secure$/);
    } finally {
      await service.close();
    }
  });

  test('421 for an IP address, with what the operator has to set', async () => {
    const service = await openService('memory', { at: NOON, env: { PUBLIC_URL: 'http://127.0.0.1:3000' } });
    try {
      const reply = await request(service.app).post(`${PASSKEY}/options`).set({ host: '127.0.0.1:3000' });
      expect([reply.status, reply.body.error.code]).toEqual([421, 'MISDIRECTED_REQUEST']);
      expect(reply.body.error.suggestion).toContain('PUBLIC_URL');
      expect(reply.body.error.suggestion).toContain('http://localhost:3000');
    } finally {
      await service.close();
    }
  });
});
