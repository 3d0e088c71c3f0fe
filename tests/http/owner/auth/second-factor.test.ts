import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { requestFactorReset, resetDueFactors } from '../../../../application/accounts/factors/factor-reset.ts';
import { beginSession } from '../../../../application/accounts/sign-in/sessions.ts';
import { FACTOR } from '../../../../domain/limits.ts';
import { HOUR, MINUTE, SECOND } from '../../../../domain/time.ts';
import { A_SOURCE } from '../../../builders/accounts.ts';
import { KEYS } from '../../../harness/api-keys.ts';
import { codeAt } from '../../../harness/one-time-code.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, LOGIN, OWN_PAGE, PASSWORD } from '../../../harness/sessions.ts';

const FACTORS = '/api/v1/owner/auth/factors';
const NOON = new Date('2026-03-02T12:00:10.000Z');
const REQUIRED = [401, 'SECOND_FACTOR_REQUIRED'];

describe.each(STORAGES)('second factors on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: NOON });
  });
  beforeEach(async () => {
    await service.arrange.freeze(NOON);
  });
  afterAll(() => service.close());

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const get = (path: string, cookie: string) => request(service.app).get(path).set({ cookie });
  const post = (path: string, cookie: string, body: object = {}) =>
    request(service.app)
      .post(path)
      .set({ cookie, ...OWN_PAGE })
      .send(body);
  const remove = (path: string, cookie: string) =>
    request(service.app)
      .delete(path)
      .set({ cookie, ...OWN_PAGE });
  const logIn = (email: string, code: object = {}, password = PASSWORD) =>
    request(service.app)
      .post(LOGIN)
      .send({ email, password, ...code });
  const statusOf = async (cookie: string) => (await get(KEYS, cookie)).status;
  const now = () => service.ports.clock.now();
  const eventsOf = async (owner_id: string) =>
    (await service.ports.securityEvents.list({ owner_id }, null, 100)).map(({ kind, result, subject }) =>
      [kind, result, subject].filter((part) => part !== null).join(' '),
    );

  /** The code of an app that is `away` steps off the clock of the service. */
  async function totpOf(secret: string, away = 0) {
    return { totp: codeAt(secret, new Date((await now()).getTime() + away * 30 * SECOND)) };
  }

  /** An owner with an app, whose first code is used, and with recovery codes. */
  async function anEnrolled() {
    const owner = await anOwnerLoggedIn(service);
    const begun = await post(`${FACTORS}/totp`, owner.cookie);
    expect(begun.status).toBe(201);
    const { secret } = begun.body;
    const confirmed = await post(`${FACTORS}/totp/confirm`, owner.cookie, await totpOf(secret));
    expect(confirmed.status).toBe(200);
    const codes: readonly string[] = confirmed.body.recovery_codes;
    // The next step: the code of the confirmation is used.
    await service.arrange.advance(30 * SECOND);
    return { ...owner, email: owner.email ?? '', before: owner.cookie, cookie: cookieOf(confirmed), secret, codes };
  }

  test('an app is a factor after its first code: all sessions of before end, and recovery codes are shown once', async () => {
    const { owner_id, before, cookie, codes, email, secret } = await anEnrolled();
    expect([await statusOf(before), await statusOf(cookie)]).toEqual([401, 200]);
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
    const listed = await get(FACTORS, cookie);
    expect(listed.body).toEqual({
      totp: { confirmed_at: NOON.toISOString() },
      passkeys: [],
      recovery_codes_left: 10,
      reset: null,
      session_factor: 'totp',
      required: false,
    });
    const { items } = (await get('/api/v1/owner/auth/sessions', cookie)).body;
    expect(items).toMatchObject([{ factor: 'totp', current: true }]);
    expect(await eventsOf(owner_id)).toContain('factor_added success totp');
    const exported = (await get('/api/v1/owner/export', cookie)).text;
    for (const text of [exported, service.log.join(), JSON.stringify((await service.ports.factors.of(owner_id)).totp)])
      for (const shown of [secret, ...codes]) expect(text).not.toContain(shown);
    expect(exported).toContain('"totp_secrets"');
    expect(codeOf(await logIn(email))).toEqual(REQUIRED);
  });

  test('the address for the app names the account, and the same secret', async () => {
    const { cookie, email } = await anOwnerLoggedIn(service);
    const { secret, otpauth_uri, expires_at } = (await post(`${FACTORS}/totp`, cookie)).body;
    expect(decodeURIComponent(new URL(otpauth_uri).pathname)).toBe(`/Stancebook:${email}`);
    expect(new URL(otpauth_uri).searchParams.get('secret')).toBe(secret);
    expect(expires_at).toBe(new Date(NOON.getTime() + 10 * MINUTE).toISOString());
  });

  test('an app that is not confirmed, wrongly confirmed or confirmed too late is none', async () => {
    const { cookie, email, owner_id } = await anOwnerLoggedIn(service);
    const confirm = (body: object) => post(`${FACTORS}/totp/confirm`, cookie, body);
    expect(codeOf(await confirm({ totp: '123456' }))).toEqual([404, 'NOT_FOUND']);
    const { secret } = (await post(`${FACTORS}/totp`, cookie)).body;
    expect(codeOf(await confirm(await totpOf(secret, 2)))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await eventsOf(owner_id)).toContain('factor_failed failure totp');
    await service.arrange.freeze(new Date(NOON.getTime() + 10 * MINUTE - 1));
    const code = await totpOf(secret);
    await service.arrange.advance(1);
    // The login was 10 minutes ago as well.
    expect(codeOf(await confirm(code))).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
    expect(codeOf(await logIn(email ?? ''))).toEqual([200, undefined]);
    expect((await get(FACTORS, cookie)).body).toMatchObject({ totp: null, recovery_codes_left: 0 });
  });

  test('login: a right password alone is no session, and the reply says what to send', async () => {
    const { email, owner_id } = await anEnrolled();
    const reply = await logIn(email);
    expect([...codeOf(reply), reply.body.error.category, reply.headers['set-cookie']]).toEqual([
      ...REQUIRED,
      'auth_failed',
      undefined,
    ]);
    expect(reply.body.error.suggestion).toMatch(/`totp`.*`recovery_code`/);
    expect(await service.ports.sessions.list(owner_id)).toHaveLength(1);
    expect(await eventsOf(owner_id)).toContain('login failure');
  });

  test('login: a wrong password with a right code is refused as any wrong password, and uses nothing up', async () => {
    const { email, secret, codes } = await anEnrolled();
    for (const code of [await totpOf(secret), { recovery_code: codes[0] }])
      expect(codeOf(await logIn(email, code, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await logIn(email, await totpOf(secret))).status).toBe(200);
    expect((await logIn(email, { recovery_code: codes[0] })).status).toBe(200);
  });

  test('login: an account without a factor needs none, and a code that is sent to it is not read', async () => {
    const { email = '' } = await anOwnerLoggedIn(service);
    expect((await logIn(email ?? '')).status).toBe(200);
    expect((await logIn(email ?? '', { totp: '000000' })).status).toBe(200);
    expect(codeOf(await logIn(email ?? '', { totp: 'abcdef' }))).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('login: the code opens a session with the factor, once', async () => {
    const { email, secret, owner_id } = await anEnrolled();
    const code = await totpOf(secret);
    const reply = await logIn(email, code);
    expect((await get(FACTORS, cookieOf(reply))).body.session_factor).toBe('totp');
    const again = await logIn(email, code);
    expect([...codeOf(again), again.headers['set-cookie']]).toEqual([...REQUIRED, undefined]);
    expect(again.body.error.details).toMatchObject([{ path: 'totp' }]);
    expect(await eventsOf(owner_id)).toContain('factor_failed failure totp');
  });

  test('login: a clock that is one step off is accepted, one that is a minute off is not', async () => {
    for (const [away, status] of [
      [-1, 200],
      [1, 200],
      [-2, 401],
      [2, 401],
    ] as const) {
      const { email, secret } = await anEnrolled();
      // Past the step of the confirmation, in both directions.
      await service.arrange.advance(2 * MINUTE);
      expect([away, (await logIn(email, await totpOf(secret, away))).status]).toEqual([away, status]);
    }
  });

  test('of 20 logins at once by one code one succeeds', async () => {
    const { email, secret, owner_id } = await anEnrolled();
    const code = await totpOf(secret);
    const replies = await Promise.all(Array.from({ length: 20 }, () => logIn(email, code)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await service.ports.sessions.list(owner_id)).length).toBe(2);
  });

  test('a recovery code opens one session, as it was typed, and is refused from then on', async () => {
    const { email, codes, owner_id } = await anEnrolled();
    const [first = '', second = ''] = codes;
    const typed = first.replaceAll('-', ' ').toUpperCase().replaceAll('0', 'O').replaceAll('1', 'l');
    const reply = await logIn(email, { recovery_code: typed });
    expect(reply.status).toBe(200);
    expect((await get(FACTORS, cookieOf(reply))).body).toMatchObject({
      recovery_codes_left: 9,
      session_factor: 'recovery_code',
    });
    const stolen = await logIn(email, { recovery_code: first });
    expect(codeOf(stolen)).toEqual(REQUIRED);
    expect(stolen.body.error.details).toMatchObject([{ path: 'recovery_code' }]);
    const events = await eventsOf(owner_id);
    for (const event of ['recovery_code_used success', 'factor_failed failure recovery_code'])
      expect(events).toContain(event);
    const both = await Promise.all(Array.from({ length: 8 }, () => logIn(email, { recovery_code: second })));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('wrong codes are counted for the account, from any browser, and then the right one is refused, too', async () => {
    const { email, secret, codes, owner_id } = await anEnrolled();
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(codeOf(await logIn(email, { totp: await wrong(secret) }))).toEqual(REQUIRED);
    for (const code of [await totpOf(secret), { recovery_code: codes[0] }])
      expect(codeOf(await logIn(email, code))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(await eventsOf(owner_id)).toContain('lockout failure');
    expect((await get(FACTORS, cookieOf(await logIn(email)))).status).toBe(401);
    await service.arrange.freeze(new Date('2026-03-02T12:15:00.000Z'));
    expect((await logIn(email, await totpOf(secret))).status).toBe(200);
  });

  test('wrong codes of a day are counted as well: 30, whatever quarter of an hour they are in', async () => {
    const { email, secret } = await anEnrolled();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      if (attempt % 5 === 0) await service.arrange.advance(15 * MINUTE);
      expect(codeOf(await logIn(email, { totp: await wrong(secret) }))).toEqual(REQUIRED);
    }
    await service.arrange.advance(15 * MINUTE);
    expect(codeOf(await logIn(email, await totpOf(secret)))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    await service.arrange.freeze(new Date('2026-03-03T00:00:00.000Z'));
    expect((await logIn(email, await totpOf(secret))).status).toBe(200);
  });

  async function wrong(secret: string): Promise<string> {
    const codes = await Promise.all([-1, 0, 1].map((away) => totpOf(secret, away)));
    return ['000000', '111111', '222222', '333333'].find((code) => !codes.some(({ totp }) => totp === code)) ?? '';
  }

  test('a wrong code is a failed login, too: ten of any kind are the limit of this browser', async () => {
    const { email, secret } = await anEnrolled();
    for (let attempt = 0; attempt < 5; attempt += 1) await logIn(email, { totp: await wrong(secret) });
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(codeOf(await logIn(email, {}, 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(codeOf(await logIn(email, {}, 'wrong'))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  test('reauthentication needs the code with the password, and gives a session with the factor', async () => {
    const { cookie, secret, owner_id } = await anEnrolled();
    const path = '/api/v1/owner/auth/reauthenticate';
    const refused = await post(path, cookie, { password: PASSWORD });
    expect([...codeOf(refused), refused.headers['set-cookie']]).toEqual([...REQUIRED, undefined]);
    expect(await eventsOf(owner_id)).toContain('reauthentication failure');
    const code = await totpOf(secret);
    expect(codeOf(await post(path, cookie, code))).toEqual([400, 'VALIDATION_ERROR']);
    const reply = await post(path, cookie, { password: PASSWORD, ...code });
    expect(reply.status).toBe(200);
    expect([await statusOf(cookie), await statusOf(cookieOf(reply))]).toEqual([401, 200]);
    expect(codeOf(await post(path, cookieOf(reply), { password: PASSWORD, ...code }))).toEqual(REQUIRED);
  });

  test('a change of the password is no login with the factor: what needs a recent one goes on needing it', async () => {
    const { cookie } = await anEnrolled();
    await service.arrange.advance(10 * MINUTE);
    const change = { current_password: PASSWORD, new_password: 'five other words, spaced alike' };
    const changed = await request(service.app)
      .put('/api/v1/owner/password')
      .set({ cookie, ...OWN_PAGE })
      .send(change);
    expect(changed.status).toBe(204);
    const next = cookieOf(changed);
    expect((await get(FACTORS, next)).body.session_factor).toBe('totp');
    expect(codeOf(await post(KEYS, next, { permission_mode: 'read_only' }))).toEqual([
      401,
      'REAUTHENTICATION_REQUIRED',
    ]);
  });

  test('factors are changed by a recent session with a factor alone', async () => {
    const { cookie, owner_id, codes, email } = await anEnrolled();
    const changes = (session: string) => [
      post(`${FACTORS}/totp`, session),
      post(`${FACTORS}/totp/confirm`, session, { totp: '123456' }),
      post(`${FACTORS}/recovery-codes`, session),
      remove(`${FACTORS}/totp`, session),
    ];
    // As a login through a provider that asked for no factor.
    const owner = await service.ports.owners.find(owner_id);
    if (!owner) throw new Error('The owner is gone.');
    const login = { now: await now(), authenticated_at: await now(), source: A_SOURCE };
    const { session_id } = await beginSession(service.ports, owner, undefined, login);
    const others = await Promise.all(changes(`sid=${session_id}`));
    await service.arrange.advance(HOUR);
    for (const reply of [...others, ...(await Promise.all(changes(cookie)))])
      expect(codeOf(reply)).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
    const recovered = cookieOf(await logIn(email, { recovery_code: codes[0] }));
    expect((await post(`${FACTORS}/recovery-codes`, recovered)).status).toBe(201);
  });

  test('new recovery codes replace those of before', async () => {
    const { cookie, email, codes, owner_id } = await anEnrolled();
    const renewed = await post(`${FACTORS}/recovery-codes`, cookie);
    const [code] = renewed.body.recovery_codes;
    expect([renewed.status, renewed.body.recovery_codes.length]).toEqual([201, 10]);
    expect(codeOf(await logIn(email, { recovery_code: codes[0] }))).toEqual(REQUIRED);
    expect((await logIn(email, { recovery_code: code })).status).toBe(200);
    expect(await eventsOf(owner_id)).toContain('recovery_codes_renewed success');
    const { cookie: without } = await anOwnerLoggedIn(service);
    expect(codeOf(await post(`${FACTORS}/recovery-codes`, without))).toEqual([404, 'NOT_FOUND']);
  });

  test('another app takes the place of the first one, whose codes and sessions are void then', async () => {
    const { cookie, email, secret } = await anEnrolled();
    const next = (await post(`${FACTORS}/totp`, cookie)).body.secret;
    const other = cookieOf(await logIn(email, await totpOf(secret)));
    const reply = await post(`${FACTORS}/totp/confirm`, cookie, await totpOf(next));
    expect([reply.status, reply.body.recovery_codes]).toEqual([200, null]);
    expect(await statusOf(other)).toBe(401);
    await service.arrange.advance(30 * SECOND);
    expect(codeOf(await logIn(email, await totpOf(secret)))).toEqual(REQUIRED);
    expect((await logIn(email, await totpOf(next))).status).toBe(200);
  });

  test('the removal of the last factor ends its recovery codes and all other sessions; the password is enough then', async () => {
    const { cookie, email, secret, codes, owner_id } = await anEnrolled();
    const other = cookieOf(await logIn(email, { recovery_code: codes[0] }));
    expect((await remove(`${FACTORS}/totp`, cookie)).status).toBe(204);
    expect([await statusOf(cookie), await statusOf(other)]).toEqual([200, 401]);
    expect((await get(FACTORS, cookie)).body).toMatchObject({ totp: null, recovery_codes_left: 0 });
    expect((await logIn(email)).status).toBe(200);
    expect(await eventsOf(owner_id)).toContain('factor_removed success totp');
    expect(codeOf(await remove(`${FACTORS}/totp`, cookie))).toEqual([404, 'NOT_FOUND']);
    expect(secret).not.toBe('');
  });

  test('a requested removal is listed, and its owner takes it back; so does a login with a code', async () => {
    const { cookie, email, secret, owner_id } = await anEnrolled();
    const at = await now();
    const ask = () => requestFactorReset(service.ports, owner_id, 'known_number', 'root');
    await ask();
    const due_at = new Date(at.getTime() + FACTOR.resetWait).toISOString();
    const reset = { evidence: 'known_number', requested_at: at.toISOString(), due_at };
    expect((await get(FACTORS, cookie)).body.reset).toEqual(reset);
    expect((await remove(`${FACTORS}/reset`, cookie)).status).toBe(204);
    expect(codeOf(await remove(`${FACTORS}/reset`, cookie))).toEqual([404, 'NOT_FOUND']);
    expect((await get(FACTORS, cookie)).body.reset).toBeNull();
    // Equal events of a minute are one.
    await service.arrange.advance(MINUTE);
    await ask();
    expect(codeOf(await logIn(email, { totp: '000000' }))).toEqual(REQUIRED);
    expect((await get(FACTORS, cookie)).body.reset).not.toBeNull();
    const login = await logIn(email, await totpOf(secret));
    expect((await get(FACTORS, cookieOf(login))).body.reset).toBeNull();
    await service.arrange.advance(FACTOR.resetWait);
    await resetDueFactors(service.ports);
    expect(codeOf(await logIn(email))).toEqual(REQUIRED);
    expect((await eventsOf(owner_id)).filter((event) => event.startsWith('factors_reset'))).toEqual([
      'factors_reset_cancelled success login',
      'factors_reset_requested success known_number',
      'factors_reset_cancelled success owner',
      'factors_reset_requested success known_number',
    ]);
  });

  test('a secret that another SESSION_SECRET sealed opens nothing; recovery codes go on working', async () => {
    const { email, owner_id, codes } = await anEnrolled();
    const foreign = Buffer.alloc(60, 7);
    await service.ports.factors.beginTotp(owner_id, foreign);
    await service.ports.factors.confirmTotp(owner_id, foreign, 1, MINUTE);
    expect(codeOf(await logIn(email, { totp: '123456' }))).toEqual(REQUIRED);
    expect((await logIn(email, { recovery_code: codes[0] })).status).toBe(200);
  });
});
