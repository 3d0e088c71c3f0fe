import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { ownerOfIdentity } from '../../../application/accounts/provider/provider-login.ts';
import { beginSession } from '../../../application/accounts/sign-in/sessions.ts';
import type { SessionFactor } from '../../../domain/accounts/factors/factor.ts';
import { SECOND } from '../../../domain/time.ts';
import { A_CLIENT, A_SOURCE } from '../../builders/accounts.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { type HostileProvider, openHostileProvider, PATHS } from '../../harness/identity/hostile-provider.ts';
import { codeAt } from '../../harness/one-time-code.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, cookieOf, LOGIN, logIn, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';
import { SoftAuthenticator } from '../../harness/soft-authenticator.ts';

const ADMIN = '/api/v1/admin/stablecoin';
const FACTORS = '/api/v1/owner/auth/factors';
const REQUIRED = [403, 'FACTOR_REQUIRED'];
const HOST = 'localhost:3000';

type Headers = Readonly<Record<string, string>>;

describe.each(STORAGES)('the second factor of admins on %s', (storage) => {
  let provider: HostileProvider;
  let service: TestService;
  let lenient: TestService;
  beforeAll(async () => {
    provider = await openHostileProvider();
    const { issuer, clientId, clientSecret, audience } = provider.settings;
    const idp = {
      IDP_ISSUER: issuer,
      IDP_CLIENT_ID: clientId,
      IDP_CLIENT_SECRET: clientSecret,
      IDP_AUDIENCE: audience,
    };
    const env = { ...idp, IDP_ADMIN_ACR: 'urn:example:strong,urn:example:stronger' };
    service = await openService(storage, { at: new Date(), env: { ...env, ADMIN_FACTOR: 'required' } });
    lenient = await openService(storage, { at: new Date(), env });
  });
  beforeEach(() => service.arrange.freeze(new Date()));
  afterAll(() => Promise.all([service.close(), lenient.close(), provider.close()]));

  const read = async (headers: Headers, at = service) => {
    const { status, body } = await request(at.app).get(ADMIN).set(headers);
    return [status, body.error?.code];
  };
  const post = (path: string, cookie: string, body?: object) =>
    request(service.app)
      .post(path)
      .set({ cookie, host: HOST, ...OWN_PAGE })
      .send(body);
  const remove = (path: string, cookie: string) =>
    request(service.app)
      .delete(path)
      .set({ cookie, ...OWN_PAGE });
  const refusedCalls = async (owner_id: string) => {
    const found = await service.ports.securityEvents.list({ owner_id, kind: 'admin_call' }, null, 100);
    return found.map(({ result }) => result);
  };

  async function anAdmin(at = service) {
    const { owner_id, email = '' } = await aPasswordOwner(at);
    await changeRole(at.operators, owner_id, 'admin', 'test');
    return { owner_id, email: email ?? '', cookie: cookieOf(await logIn(at, email ?? '')) };
  }

  /** An admin with an app, whose session is opened with it. */
  async function anEnrolled() {
    const admin = await anAdmin();
    const { secret } = (await post(`${FACTORS}/totp`, admin.cookie)).body;
    const confirmed = await post(`${FACTORS}/totp/confirm`, admin.cookie, { totp: await codeOf(secret) });
    expect(confirmed.status).toBe(200);
    return { ...admin, before: admin.cookie, cookie: cookieOf(confirmed), secret };
  }
  const codeOf = async (secret: string) => codeAt(secret, await service.ports.clock.now());

  /** A session of an owner, as a login with that factor begins it. */
  async function sessionOf(owner_id: string, factor: SessionFactor | null, at = service) {
    const owner = await at.ports.owners.find(owner_id);
    if (!owner) throw new Error('The owner is gone.');
    const now = await at.ports.clock.now();
    const login = { now, authenticated_at: now, source: A_SOURCE, factor };
    return { cookie: `sid=${(await beginSession(at.ports, owner, undefined, login)).session_id}` };
  }

  test('403 FACTOR_REQUIRED for an admin without one, in the trail; who enrols is served', async () => {
    const { owner_id, cookie } = await anAdmin();
    for (const path of [ADMIN, '/api/v1/admin/nothing']) {
      const { status, body } = await request(service.app).get(path).set({ cookie });
      expect([status, body.error.code, body.error.category]).toEqual([...REQUIRED, 'auth_failed']);
      expect(body.error.suggestion).toContain(`POST ${FACTORS}/totp`);
    }
    expect(await refusedCalls(owner_id)).toContain('failure');
    const listed = await request(service.app).get(FACTORS).set({ cookie });
    expect(listed.body).toMatchObject({ required: true, session_factor: null });
    const { secret } = (await post(`${FACTORS}/totp`, cookie)).body;
    const confirmed = await post(`${FACTORS}/totp/confirm`, cookie, { totp: await codeOf(secret) });
    expect(await read({ cookie: cookieOf(confirmed) })).toEqual([200, undefined]);
  });

  test('403 ADMIN_REQUIRED for everybody else, with or without a factor, as before', async () => {
    const { owner_id, cookie } = await anOwnerLoggedIn(service);
    const agent = await anAgentAt(service);
    const admin = await anAgentAt(service);
    await changeRole(service.operators, admin.owner_id, 'admin', 'test');
    const others = [{}, { cookie }, await sessionOf(owner_id, 'totp'), { 'x-api-key': agent.api_key }];
    for (const headers of [...others, { 'x-api-key': admin.api_key }, { cookie: 'sid=nonsense' }])
      expect(await read(headers)).toEqual([403, 'ADMIN_REQUIRED']);
  });

  test('a session of before the enrolment is refused, also where no factor is required, and in the trail', async () => {
    const { owner_id, before, cookie } = await anEnrolled();
    expect(await read({ cookie: before })).toEqual([403, 'ADMIN_REQUIRED']);
    // As one that began while the enrolment ended all others, or a login through the provider.
    const plain = await sessionOf(owner_id, null);
    const { status, body } = await request(service.app).get(ADMIN).set(plain);
    expect([status, body.error.code]).toEqual(REQUIRED);
    expect(body.error.suggestion).toContain('POST /api/v1/owner/auth/reauthenticate');
    expect(await refusedCalls(owner_id)).toContain('failure');
    expect(await read({ cookie })).toEqual([200, undefined]);
    const free = await anAdmin(lenient);
    expect(await read(free, lenient)).toEqual([200, undefined]);
    await lenient.ports.factors.beginTotp(free.owner_id, Buffer.alloc(60, 7));
    await lenient.ports.factors.confirmTotp(free.owner_id, Buffer.alloc(60, 7), 1, SECOND);
    expect(await read(free, lenient)).toEqual(REQUIRED);
    expect(await read(await sessionOf(free.owner_id, 'passkey', lenient), lenient)).toEqual([200, undefined]);
  });

  test('logging in again with the factor gives such a session admin access', async () => {
    const { owner_id, secret } = await anEnrolled();
    const { cookie } = await sessionOf(owner_id, null);
    await service.arrange.advance(30 * SECOND);
    const proof = { password: PASSWORD, totp: await codeOf(secret) };
    const reply = await post('/api/v1/owner/auth/reauthenticate', cookie, proof);
    expect(await read({ cookie: cookieOf(reply) })).toEqual([200, undefined]);
  });

  test('the last factor of an admin stays, until there is another one', async () => {
    const { cookie, email } = await anEnrolled();
    const { status, body } = await remove(`${FACTORS}/totp`, cookie);
    expect([status, body.error.code]).toEqual(REQUIRED);
    expect(body.error.suggestion).toContain('passkey');
    expect(await read({ cookie })).toEqual([200, undefined]);
    const login = await request(service.app).post(LOGIN).send({ email, password: PASSWORD });
    expect(login.body.error.code).toBe('SECOND_FACTOR_REQUIRED');
    const begun = await post(`${FACTORS}/passkeys/options`, cookie);
    const passkey = new SoftAuthenticator().create(begun.body, { origin: `http://${HOST}`, rpId: 'localhost' });
    const sent = { name: 'Laptop', passkey };
    const added = await post(`${FACTORS}/passkeys`, `${cookie}; ${cookieOf(begun)}`, sent);
    const next = cookieOf(added);
    expect((await remove(`${FACTORS}/totp`, next)).status).toBe(204);
    const last = await remove(`${FACTORS}/passkeys/${added.body.passkey.passkey_id}`, next);
    expect([last.status, last.body.error.code]).toEqual(REQUIRED);
  });

  /** An admin of the provider. */
  async function anAdminOfProvider() {
    const identity = { issuer: provider.settings.issuer, subject: randomUUID() };
    const { owner_id } = await ownerOfIdentity(service.ports, identity, A_CLIENT);
    await changeRole(service.operators, owner_id, 'admin', 'test');
    return { owner_id, sub: identity.subject };
  }

  test.each([
    [{ amr: ['pwd', 'otp'] }, true],
    [{ amr: ['mfa'] }, true],
    [{ amr: ['hwk'] }, true],
    [{ acr: 'urn:example:stronger' }, true],
    [{ amr: ['pwd'], acr: 'urn:example:weak' }, false],
    [{ amr: 'mfa' }, false],
    [{ acr: ['urn:example:strong'] }, false],
    [{}, false],
  ])('a bearer token with %j: admitted %s', async (claims, isAdmitted) => {
    const { sub, owner_id } = await anAdminOfProvider();
    const authorization = `Bearer ${await provider.sign({ sub, ...claims })}`;
    expect(await read({ authorization })).toEqual(isAdmitted ? [200, undefined] : REQUIRED);
    expect((await refusedCalls(owner_id)).length).toBe(isAdmitted ? 0 : 1);
  });

  test.each([
    [{ amr: ['mfa'] }, 'provider'],
    [{ amr: ['pwd'] }, null],
  ])('a login through the provider with %j opens a session with the factor %s', async (claims, factor) => {
    const { sub } = await anAdminOfProvider();
    const begun = await request(service.app).get('/api/v1/public/auth/idp');
    const leads = new URL(begun.headers.location ?? '').searchParams;
    const id = { sub, aud: provider.settings.clientId, nonce: leads.get('nonce'), ...claims };
    const id_token = await provider.sign(id, { typ: 'JWT' });
    provider.answers.set(PATHS.token, { json: { access_token: 'any', token_type: 'Bearer', id_token } });
    const query = new URLSearchParams({ code: 'any', state: leads.get('state') ?? '' });
    const reply = await request(service.app)
      .get(`/api/v1/public/auth/idp/callback?${query}`)
      .set({ cookie: cookieOf(begun) });
    const cookie = cookieOf(reply);
    expect((await request(service.app).get(FACTORS).set({ cookie })).body.session_factor).toBe(factor);
    expect(await read({ cookie })).toEqual(factor ? [200, undefined] : REQUIRED);
  });

  test('the refusal of an admin without a factor names the login that asks the provider for all named levels', async () => {
    const { cookie } = await anAdmin();
    const { body } = await request(service.app).get(ADMIN).set({ cookie });
    const [, path = ''] = body.error.suggestion.match(/GET (\S+)\./);
    const { headers } = await request(service.app).get(path);
    const { searchParams } = new URL(headers.location ?? '');
    expect(searchParams.get('acr_values')).toBe('urn:example:strong urn:example:stronger');
    expect(searchParams.get('prompt')).toBe('login');
  });

  test('an admin of the provider adds a factor here, and logs in again by its code after a login there', async () => {
    const { owner_id } = await anAdminOfProvider();
    const { cookie } = await sessionOf(owner_id, null);
    const { secret } = (await post(`${FACTORS}/totp`, cookie)).body;
    await post(`${FACTORS}/totp/confirm`, cookie, { totp: await codeOf(secret) });
    const later = (await sessionOf(owner_id, null)).cookie;
    const path = '/api/v1/owner/auth/reauthenticate';
    await service.arrange.advance(30 * SECOND);
    expect((await post(path, later, {})).body.error.code).toBe('PASSWORDLESS_ACCOUNT');
    expect((await post(path, later, { totp: '000000' })).body.error.code).toBe('SECOND_FACTOR_REQUIRED');
    const reply = await post(path, later, { totp: await codeOf(secret) });
    expect(reply.status).toBe(200);
    expect(await read({ cookie: cookieOf(reply) })).toEqual([200, undefined]);
    const stale = (await sessionOf(owner_id, null)).cookie;
    await service.arrange.advance(600 * SECOND);
    const late = await post(path, stale, { totp: await codeOf(secret) });
    expect([late.status, late.body.error.code]).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
  });
});

test('the factor is required with an https PUBLIC_URL, unless the operator says otherwise', async () => {
  for (const [env, code] of [
    [{ PUBLIC_URL: 'https://stancebook.test' }, 'FACTOR_REQUIRED'],
    [{ PUBLIC_URL: 'https://stancebook.test', ADMIN_FACTOR: 'optional' }, undefined],
    [{ PUBLIC_URL: 'http://stancebook.test' }, undefined],
    [{ PUBLIC_URL: 'http://stancebook.test', ADMIN_FACTOR: 'required' }, 'FACTOR_REQUIRED'],
    [{ ADMIN_FACTOR: 'required' }, 'FACTOR_REQUIRED'],
  ] as const) {
    const service = await openService('memory', { at: new Date('2026-03-02T12:00:00.000Z'), env });
    try {
      const { owner_id, email } = await aPasswordOwner(service);
      await changeRole(service.operators, owner_id, 'admin', 'test');
      const host = 'stancebook.test';
      const cookie = cookieOf(await logIn(service, email ?? '', { host }));
      const { body } = await request(service.app).get(ADMIN).set({ host, cookie });
      expect([env, body.error?.code]).toEqual([env, code]);
    } finally {
      await service.close();
    }
  }
});
