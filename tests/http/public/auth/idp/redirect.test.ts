import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY, MINUTE } from '../../../../../domain/time.ts';
import { FACTOR_ACR, REFUSE } from '../../../../harness/identity/provider.ts';
import {
  bodyOf,
  CALLBACK,
  IDP,
  ORIGIN,
  openServiceWithProvider,
  type ServiceWithProvider,
  upToCallback,
} from '../../../../harness/identity/service.ts';
import { openService, STORAGES } from '../../../../harness/service.ts';
import { aPasswordOwner, LOGIN, OWN_PAGE, PASSWORD } from '../../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const KEYS = '/api/v1/owner/auth/api-keys';

describe.each(STORAGES)('the redirect flow on %s', (storage) => {
  let service: ServiceWithProvider;
  beforeAll(async () => {
    service = await openServiceWithProvider(storage, { at: AT });
  });
  afterAll(() => service.close());

  /** The status of an owner endpoint for a request with these cookies. */
  const statusFor = async (cookie: string) =>
    (
      await request(service.app)
        .get(KEYS)
        .set({ cookie, ...OWN_PAGE })
    ).status;

  test('302 redirects to the provider with a state, a nonce, PKCE S256 and the exact redirect URI', async () => {
    const page = await service.browserOf('ada').step(IDP);
    expect([page.status, page.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const location = new URL(page.headers.get('location') ?? '');
    expect(`${location.origin}${location.pathname}`).toBe(`${service.provider.issuer}/auth`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'stancebook',
      redirect_uri: CALLBACK,
      scope: 'openid',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      max_age: '604800',
    });
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-idp=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
  });

  test('with fresh=true the provider is asked for a new login, which the callback requires', async () => {
    const browser = service.browserOf('ada');
    const location = new URL((await browser.step(`${IDP}?fresh=true`)).headers.get('location') ?? '');
    expect(location.searchParams.get('max_age')).toBe('0');
    expect(location.searchParams.get('prompt')).toBe('login');
    const nobody = new URL((await browser.step(`${IDP}?fresh=false`)).headers.get('location') ?? '');
    expect(nobody.searchParams.get('prompt')).toBeNull();
    expect((await browser.visit(`${IDP}?fresh=true`)).status).toBe(200);
    const id = browser.cookies.get(ORIGIN, '__Host-sid');
    expect(await statusFor(`__Host-sid=${id}`)).toBe(200);
  });

  test.each([
    ['', null, null],
    ['?factor=false', null, null],
    ['?factor=true', FACTOR_ACR, 'provider'],
    ['?fresh=true&factor=true', FACTOR_ACR, 'provider'],
  ])(
    'with the query %j the provider is asked for the level %j, and the session has the factor %j',
    async (query, acr, factor) => {
      const browser = service.browserOf('ada');
      const { searchParams } = new URL((await browser.step(`${IDP}${query}`)).headers.get('location') ?? '');
      expect(searchParams.get('acr_values')).toBe(acr);
      expect((await browser.visit(`${IDP}${query}`)).status).toBe(200);
      const cookie = `__Host-sid=${browser.cookies.get(ORIGIN, '__Host-sid')}`;
      expect((await request(service.app).get('/api/v1/owner/auth/factors').set({ cookie })).body.session_factor).toBe(
        factor,
      );
    },
  );

  test.each([
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, 302],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 403],
    [{ 'sec-fetch-site': 'same-origin' }, 302],
  ])('a browser that sends %j gets %i: only a link of another site begins a login', async (headers, status) => {
    const reply = await request(service.app)
      .get(IDP.slice(ORIGIN.length))
      .set({ host: 'stancebook.test', ...headers });
    expect([reply.status, reply.headers['set-cookie'] === undefined]).toEqual([status, status === 403]);
  });

  test('a callback comes from the site of the provider, and its state protects it', async () => {
    const browser = service.browserOf('ada');
    const { pathname, search } = await upToCallback(browser);
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const cookie = `__Host-idp=${browser.cookies.get(ORIGIN, '__Host-idp')}`;
    const reply = await request(service.app)
      .get(`${pathname}${search}`)
      .set({ host: 'stancebook.test', cookie, ...headers });
    expect(reply.status).toBe(200);
  });

  test('a browser goes from there to a session, which opens the owner area', async () => {
    const browser = service.browserOf('ada');
    const page = await browser.visit(IDP);
    expect([page.url.origin, page.status]).toEqual([ORIGIN, 200]);
    const session_expires_at = new Date(AT.getTime() + 7 * DAY).toISOString();
    const owner = { email: null, role: 'owner', tier: 'free', session_expires_at, session_idle_seconds: 43_200 };
    expect(bodyOf(page)).toEqual({ owner_id: expect.any(String), ...owner });
    const id = browser.cookies.get(ORIGIN, '__Host-sid');
    expect(id).toMatch(/^[\w-]{43}$/);
    expect(await statusFor(`__Host-sid=${id}`)).toBe(200);
  });

  const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
  const callbackOf = async (browser: ReturnType<typeof service.browserOf>, accept: string, address?: string) => {
    const { pathname, search } = address === undefined ? await upToCallback(browser) : new URL(address);
    const cookie = `__Host-idp=${browser.cookies.get(ORIGIN, '__Host-idp')}`;
    return request(service.app).get(`${pathname}${search}`).set({ host: 'stancebook.test', cookie, accept });
  };

  test('a browser that shows the callback to a person is redirected to the page, with the same cookie', async () => {
    const reply = await callbackOf(service.browserOf('ada'), HTML);
    expect([reply.status, reply.headers.location, reply.text]).toEqual([303, '/#/signed-in', '']);
    const [cookie = ''] = reply.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-sid=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/);
    expect(await statusFor(cookie.split(';')[0] ?? '')).toBe(200);
  });

  test.each(['application/json', '*/*', 'application/json, text/html;q=0.9'])(
    'Accept: %s gets JSON',
    async (accept) => {
      const reply = await callbackOf(service.browserOf('ada'), accept);
      expect([reply.status, reply.body.role]).toEqual([200, 'owner']);
      const refused = await callbackOf(service.browserOf('ada'), accept, `${CALLBACK}?code=x&state=y`);
      expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_STATE']);
    },
  );

  test.each([
    ['?code=x&state=y', 'INVALID_STATE'],
    ['?error=access_denied&state=y', 'OAUTH_CALLBACK_ERROR'],
  ])('a browser whose login is refused (%s) is redirected with %s, and gets no session', async (query, code) => {
    const reply = await callbackOf(service.browserOf('ada'), HTML, `${CALLBACK}${query}`);
    expect([reply.status, reply.headers.location]).toEqual([303, `/#/sign-in?refused=${code}`]);
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  test('the same person is the same owner, and another is another', async () => {
    const idOf = async (user: string) => bodyOf(await service.browserOf(user).visit(IDP)).owner_id;
    const [first, again, other] = [await idOf('grace'), await idOf('grace'), await idOf('edsger')];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  test('the first login links the identity; each login, and each that fails, is a security event', async () => {
    const { owner_id } = bodyOf(await service.browserOf('barbara').visit(IDP));
    await service.arrange.advance(MINUTE);
    expect(bodyOf(await service.browserOf('barbara').visit(IDP)).owner_id).toBe(owner_id);
    const { securityEvents } = service.ports;
    const own = await securityEvents.list({ owner_id }, null, 10);
    expect(own.map(({ kind, result }) => `${kind} ${result}`)).toEqual([
      'provider_login success',
      'provider_login success',
      'identity_linked success',
    ]);
    await request(service.app)
      .get(`/api/v1/public/auth/idp/callback?code=x&state=${'x'.repeat(43)}`)
      .set('x-request-id', 'forged');
    const [failed] = await securityEvents.list({ kind: 'provider_login', result: 'failure' }, null, 1);
    expect(failed).toMatchObject({ owner_id: null, request_id: 'forged' });
    await service.arrange.freeze(AT);
  });

  test('an account of the same email is not taken over', async () => {
    const { owner_id, email } = await aPasswordOwner(service);
    const subject = email.replace('@example.com', '');
    const theirs = bodyOf(await service.browserOf(subject).visit(IDP));
    expect([theirs.email, theirs.owner_id === owner_id]).toEqual([null, false]);
  });

  test('the previous session of the browser ends with a successful login only', async () => {
    const browser = service.browserOf('ada');
    await browser.visit(IDP);
    const first = browser.cookies.get(ORIGIN, '__Host-sid');
    expect((await browser.step(`${CALLBACK}?code=x&state=y`)).status).toBe(401);
    expect(await statusFor(`__Host-sid=${first}`)).toBe(200);
    await browser.visit(IDP);
    const second = browser.cookies.get(ORIGIN, '__Host-sid');
    expect(second).not.toBe(first);
    expect([await statusFor(`__Host-sid=${first}`), await statusFor(`__Host-sid=${second}`)]).toEqual([401, 200]);
  });

  test('two logins at once in one browser both succeed, in any order', async () => {
    const browser = service.browserOf('ada');
    const [first, second] = [await upToCallback(browser), await upToCallback(browser)];
    expect((await browser.step(second)).status).toBe(200);
    expect((await browser.step(first)).status).toBe(200);
  });

  test('401 INVALID_STATE for a callback that is replayed', async () => {
    const browser = service.browserOf('ada');
    const callback = await upToCallback(browser);
    expect((await browser.step(callback)).status).toBe(200);
    const replayed = await browser.step(callback);
    expect([replayed.status, bodyOf(replayed).error.code]).toEqual([401, 'INVALID_STATE']);
    expect(replayed.headers.getSetCookie()).toEqual([]);
  });

  test('when 20 clients send one callback at once, one is logged in', async () => {
    const browser = service.browserOf('ada');
    const callback = await upToCallback(browser);
    const pages = await Promise.all(Array.from({ length: 20 }, () => browser.step(callback)));
    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(401)]);
  });

  test('401 INVALID_STATE for a stolen callback in another browser; it still works in its own', async () => {
    const [mallory, victim] = [service.browserOf('mallory'), service.browserOf('ada')];
    const callback = await upToCallback(mallory);
    const bare = await victim.step(callback);
    await victim.step(IDP);
    const withCookieOfOwn = await victim.step(callback);
    for (const page of [bare, withCookieOfOwn]) {
      expect([page.status, bodyOf(page).error.code]).toEqual([401, 'INVALID_STATE']);
    }
    expect(victim.cookies.get(ORIGIN, '__Host-sid')).toBeUndefined();
    expect((await mallory.step(callback)).status).toBe(200);
  });

  test('401 INVALID_STATE ten minutes after the redirect; before that the login succeeds', async () => {
    const browser = service.browserOf('ada');
    const [early, late] = [await upToCallback(browser), await upToCallback(browser)];
    await service.arrange.freeze(new Date(AT.getTime() + 10 * MINUTE - 1));
    const inTime = await browser.step(early);
    await service.arrange.freeze(new Date(AT.getTime() + 10 * MINUTE));
    const tooLate = await browser.step(late);
    await service.arrange.freeze(AT);
    expect([inTime.status, tooLate.status, bodyOf(tooLate).error.code]).toEqual([200, 401, 'INVALID_STATE']);
  });

  test('400 OAUTH_CALLBACK_ERROR when the user refuses, and the state is used up', async () => {
    const browser = service.browserOf(REFUSE);
    const callback = await upToCallback(browser);
    expect(callback.searchParams.get('error')).toBe('access_denied');
    const refused = await browser.step(callback);
    expect([refused.status, bodyOf(refused).error.code]).toEqual([400, 'OAUTH_CALLBACK_ERROR']);
    expect(bodyOf(refused).error.message).toContain('access_denied');
    const state = callback.searchParams.get('state');
    expect((await browser.step(`${CALLBACK}?code=x&state=${state}`)).status).toBe(401);
  });

  test.each([
    ['', ['code', 'state']],
    ['?code=x', ['state']],
    ['?state=x', ['code']],
    ['?code=&state=x', ['code']],
    ['?code=x&state=x&state=y', ['state']],
  ])('400 VALIDATION_ERROR for the query %j', async (query, missing) => {
    const page = await service.browserOf('ada').step(`${CALLBACK}${query}`);
    const { error } = bodyOf(page);
    expect([page.status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(error.details.map(({ path }: { path: string }) => path)).toEqual(missing);
  });

  test.each(['y', 'A'.repeat(43), 'A'.repeat(4_000), "' or 1=1 --", '%F0%9F%99%82'])(
    '401 INVALID_STATE for the made-up state %.20j',
    async (state) => {
      const page = await service.browserOf('ada').step(`${CALLBACK}?code=x&state=${state}&session_state=of-its-own`);
      expect([page.status, bodyOf(page).error.code]).toEqual([401, 'INVALID_STATE']);
    },
  );

  test('the error text of the query is not repeated, unless it is an error code', async () => {
    const page = await service.browserOf('ada').step(`${CALLBACK}?error=${encodeURIComponent('<b>Call Mallory</b>')}`);
    expect([page.status, bodyOf(page).error.code]).toEqual([400, 'OAUTH_CALLBACK_ERROR']);
    expect(page.text).not.toContain('Mallory');
  });

  test('an account of the provider has no password to log in with, nor one to change', async () => {
    const browser = service.browserOf('ada');
    await browser.visit(IDP);
    const cookie = `__Host-sid=${browser.cookies.get(ORIGIN, '__Host-sid')}`;
    const change = { current_password: PASSWORD, new_password: `${PASSWORD} more` };
    const reply = await request(service.app)
      .put('/api/v1/owner/password')
      .set({ cookie, ...OWN_PAGE })
      .send(change);
    expect([reply.status, reply.body.error.code]).toEqual([403, 'PASSWORDLESS_ACCOUNT']);
    expect((await request(service.app).post(LOGIN).send({ email: 'ada@example.com', password: PASSWORD })).status).toBe(
      401,
    );
  });

  test('nothing of the flow is logged', async () => {
    const browser = service.browserOf('ada');
    const callback = await upToCallback(browser);
    await browser.step(callback);
    const secrets = [callback.searchParams.get('code'), callback.searchParams.get('state')];
    for (const name of ['__Host-idp', '__Host-sid']) secrets.push(browser.cookies.get(ORIGIN, name) ?? null);
    for (const secret of [...secrets, service.provider.env.IDP_CLIENT_SECRET]) {
      expect(secret).toBeTruthy();
      expect(service.log.filter((line) => line.includes(String(secret)))).toEqual([]);
    }
  });
});

describe.each(STORAGES)('without a provider on %s', (storage) => {
  test('503 OAUTH_NOT_CONFIGURED, and a bearer token is 401', async () => {
    const service = await openService(storage, { at: AT });
    try {
      for (const path of ['/api/v1/public/auth/idp', '/api/v1/public/auth/idp/callback?code=x&state=y']) {
        const { status, body, headers } = await request(service.app).get(path);
        expect([status, body.error.code, body.error.category]).toEqual([
          503,
          'OAUTH_NOT_CONFIGURED',
          'service_degraded',
        ]);
        expect([body.error.retry_after_seconds, headers['retry-after']]).toEqual([null, undefined]);
        expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
      }
      const { status } = await request(service.app).get(KEYS).set('authorization', 'Bearer a.b.c');
      expect(status).toBe(401);
    } finally {
      await service.close();
    }
  });
});
