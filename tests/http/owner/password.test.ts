import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { issueKey } from '../../../application/accounts/keys/issue-key.ts';
import { hashOfSession } from '../../../application/accounts/sign-in/proof-of-credential.ts';
import type { PasswordHasher } from '../../../domain/accounts/sign-in/password.ts';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { A_SOURCE, anOwner, aSessionOf } from '../../builders/accounts.ts';
import { race } from '../../contracts/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, cookieOf, LOGIN, logIn, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const PATH = '/api/v1/owner/password';
const NEW = 'five other words, spaced alike';
const TERMS = { agent_id: null, permission_mode: 'read_write', label: null } as const;

describe.each(STORAGES)('changing the password on %s', (storage) => {
  let service: TestService;
  /** Runs after a password has been verified, before the reply. */
  let verified: (password: string) => Promise<void>;
  beforeAll(async () => {
    const held = ({ passwords }: { readonly passwords: PasswordHasher }) => ({
      passwords: {
        ...passwords,
        async verify(password: string, hash: string | null) {
          const isRight = await passwords.verify(password, hash);
          await verified(password);
          return isRight;
        },
      },
    });
    service = await openService(storage, { at: AT, env: NO_RATE_LIMITS, ports: held });
  });
  beforeEach(() => {
    verified = async () => undefined;
  });
  afterAll(() => service.close());

  const change = (cookie: string, body: object, headers: Readonly<Record<string, string>> = OWN_PAGE) =>
    request(service.app).put(PATH).set({ cookie }).set(headers).send(body);
  const right = (new_password = NEW) => ({ current_password: PASSWORD, new_password });
  const statusOfLogin = async (email: string, password: string) =>
    (await request(service.app).post(LOGIN).send({ email, password })).status;
  const isOpen = async (cookie: string) =>
    (await request(service.app).get('/api/v1/owner/legal-status').set({ cookie })).status === 200;

  test('204: the new password logs in and the old one does not; all sessions end, and a new one begins', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const elsewhere = [cookieOf(await logIn(service, email)), cookieOf(await logIn(service, email))];
    const { cookie: foreign } = await anOwnerLoggedIn(service);
    const reply = await change(cookie, right());
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect([await statusOfLogin(email, PASSWORD), await statusOfLogin(email, NEW)]).toEqual([401, 200]);
    const begun = cookieOf(reply);
    expect(begun).not.toBe(cookie);
    const cookies = [begun, foreign, cookie, ...elsewhere];
    expect(await Promise.all(cookies.map(isOpen))).toEqual([true, true, false, false, false]);
  });

  test('an API key still works', async () => {
    const agent = await anAgentAt(service);
    const owner = await service.ports.owners.find(agent.owner_id);
    const password_hash = await service.ports.passwords.hash(PASSWORD);
    await service.ports.logins.change(agent.owner_id, owner?.password_hash ?? '', password_hash);
    expect((await change(cookieOf(await logIn(service, agent.email)), right())).status).toBe(204);
    expect((await agent.read('dec_20260101_00000000')).status).toBe(404);
  });

  test('200 with revoke_keys: no key of the owner works any more, and the reply says how many there were', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const [agent, other] = [await anAgentAt(service), await anAgentAt(service)];
    const owner_id = (await service.ports.owners.findByEmail(email))?.owner_id ?? '';
    const add = () => issueKey(service.ports, { owner_id, tier: 'free' }, { ...TERMS, created_at: AT }, A_SOURCE);
    const keys = [await add(), await add(), await add()];
    const statusOf = async (key: string) =>
      (await request(service.app).get('/api/v1/public/auth/status').set('x-api-key', key)).status;
    const refused = await change(cookie, { ...right(), current_password: 'wrong', revoke_keys: true });
    expect([refused.status, await statusOf(keys[0]?.api_key ?? '')]).toEqual([401, 200]);
    const { status, body } = await change(cookie, { ...right(), revoke_keys: true });
    expect([status, body]).toEqual([200, { keys_revoked: 3 }]);
    expect(await Promise.all(keys.map(({ api_key }) => statusOf(api_key)))).toEqual([401, 401, 401]);
    expect(await Promise.all([agent, other].map(({ api_key }) => statusOf(api_key)))).toEqual([200, 200]);
    const entries = await Promise.all(keys.map(({ key_prefix }) => service.ports.audit.about(key_prefix, 1)));
    expect(entries.flat().map(({ actor, action }) => [actor, action])).toEqual(
      keys.map(() => [owner_id, 'revoke_key']),
    );
  });

  test('401 for a session that ends while the password is checked, and the password stays', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const elsewhere = cookieOf(await logIn(service, email));
    verified = async (password) => {
      if (password !== PASSWORD) return;
      verified = async () => undefined;
      await request(service.app)
        .delete('/api/v1/owner/auth/sessions')
        .set({ cookie: elsewhere, ...OWN_PAGE });
    };
    const { status, body } = await change(cookie, right());
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect([await statusOfLogin(email, PASSWORD), await statusOfLogin(email, NEW)]).toEqual([200, 401]);
  });

  test('401 INVALID_CREDENTIALS for a wrong current password, and nothing changes', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const elsewhere = cookieOf(await logIn(service, email));
    const { status, body, text } = await change(cookie, { current_password: 'wrong', new_password: NEW });
    expect([status, body.error.code, body.error.category]).toEqual([401, 'INVALID_CREDENTIALS', 'auth_failed']);
    expect(text).not.toContain(NEW);
    expect([await isOpen(cookie), await isOpen(elsewhere)]).toEqual([true, true]);
    expect(await statusOfLogin(email, PASSWORD)).toBe(200);
  });

  test('wrong current passwords count as failed logins, of the same account, in both directions', async () => {
    await service.arrange.advance(HOUR);
    const { email, cookie } = await anOwnerLoggedIn(service);
    for (let attempt = 0; attempt < 6; attempt += 1) await change(cookie, { ...right(), current_password: 'wrong' });
    for (let attempt = 0; attempt < 4; attempt += 1) await statusOfLogin(email, 'wrong');
    const { status, body, headers } = await change(cookie, right());
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(headers['retry-after']).toBe(String(body.error.retry_after_seconds));
    expect(await statusOfLogin(email, PASSWORD)).toBe(429);
    expect(await isOpen(cookie)).toBe(true);
    await service.arrange.advance(HOUR);
    expect((await change(cookie, right())).status).toBe(204);
  });

  test('429 for the sixth change of a UTC hour; refused ones do not count, and the next hour is free', async () => {
    await service.arrange.freeze(new Date(AT.getTime() + 10 * HOUR + 59 * MINUTE));
    let { cookie, ...owner } = await anOwnerLoggedIn(service);
    const secret = (n: number) => (n === 0 ? PASSWORD : `${NEW} ${n}`);
    const changeTo = (n: number, current = secret(n - 1)) =>
      change(cookie, { current_password: current, new_password: secret(n) });
    for (let n = 1; n <= 5; n += 1) {
      expect((await changeTo(n, 'wrong')).status).toBe(401);
      const reply = await changeTo(n);
      expect(reply.status).toBe(204);
      cookie = cookieOf(reply);
    }
    const { status, body, headers } = await changeTo(6);
    expect([status, body.error.code, body.error.retry_after_seconds]).toEqual([429, 'RATE_LIMIT_EXCEEDED', 60]);
    expect(headers['retry-after']).toBe('60');
    expect(await statusOfLogin(owner.email, secret(5))).toBe(200);
    const { cookie: other } = await anOwnerLoggedIn(service);
    expect((await change(other, right())).status).toBe(204);
    await service.arrange.advance(MINUTE);
    expect((await changeTo(6)).status).toBe(204);
  });

  test.each(['short', 'password1234', 'x'.repeat(129)])(
    '400 WEAK_PASSWORD for %s, which is not repeated',
    async (weak) => {
      const { cookie } = await anOwnerLoggedIn(service);
      const { status, body, text } = await change(cookie, right(weak));
      expect([status, body.error.code, body.error.details[0].path]).toEqual([400, 'WEAK_PASSWORD', 'new_password']);
      expect(text).not.toContain(weak);
    },
  );

  test('400 WEAK_PASSWORD for the email address itself', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    expect((await change(cookie, right(email))).body.error.code).toBe('WEAK_PASSWORD');
  });

  test.each([
    [{ current_password: PASSWORD }, 'new_password'],
    [{ new_password: NEW }, 'current_password'],
    [{ ...right(), owner_id: 'another' }, 'owner_id'],
    [{ ...right(), new_password: [NEW] }, 'new_password'],
    [{ ...right(), current_password: null }, 'current_password'],
  ])('400 VALIDATION_ERROR for %j', async (body, path) => {
    const { cookie } = await anOwnerLoggedIn(service);
    const reply = await change(cookie, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
  });

  test('403 PASSWORDLESS_ACCOUNT for an account of the identity provider', async () => {
    const owner = anOwner({ email: null, password_hash: null });
    await service.ports.owners.add(owner);
    const id = 'p'.repeat(43);
    const session_hash = hashOfSession(id);
    await service.ports.sessions.add(aSessionOf(owner, { session_hash, created_at: await service.ports.clock.now() }));
    const { status, body } = await change(`sid=${id}`, right());
    expect([status, body.error.code]).toEqual([403, 'PASSWORDLESS_ACCOUNT']);
  });

  test('404 when the owner is removed while the password is checked, and neither session nor password remains', async () => {
    const { owner_id, email, cookie } = await anOwnerLoggedIn(service);
    verified = async () => void (await service.operators.ownerAdministration.remove(owner_id));
    const { status, body } = await change(cookie, right());
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    verified = async () => undefined;
    expect([await isOpen(cookie), await statusOfLogin(email, PASSWORD)]).toEqual([false, 401]);
  });

  test('only a session: 401 without a credential, 403 for a key, 403 from a page of another origin', async () => {
    const { api_key } = await anAgentAt(service);
    const { cookie } = await anOwnerLoggedIn(service);
    const put = (headers: Readonly<Record<string, string>>) =>
      request(service.app).put(PATH).set(headers).send(right());
    expect((await put(OWN_PAGE)).status).toBe(401);
    expect((await put({ 'x-api-key': api_key })).body.error.code).toBe('FORBIDDEN');
    expect((await put({ cookie, 'sec-fetch-site': 'cross-site' })).body.error.code).toBe('CROSS_ORIGIN_SESSION');
  });

  test('among 8 changes at once from 8 sessions, one succeeds and one session remains', async () => {
    const { email } = await anOwnerLoggedIn(service);
    const cookies = await race(8, async () => cookieOf(await logIn(service, email)));
    const replies = await race(8, (worker) => change(cookies[worker] ?? '', right(`${NEW} ${worker}`)));
    const won = replies.flatMap(({ status }, worker) => (status === 204 ? [worker] : []));
    expect(won).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect(replies.every(({ status }) => [204, 401, 429].includes(status))).toBe(true);
    const begun = replies.filter(({ status }) => status === 204).map(cookieOf);
    expect(await Promise.all([...begun, ...cookies].map(isOpen))).toEqual([true, ...cookies.map(() => false)]);
    expect(await statusOfLogin(email, `${NEW} ${won[0]}`)).toBe(200);
  });

  test('a login with the old password that is in progress creates no session', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const checked = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    let first = true;
    verified = async () => {
      if (!first) return;
      first = false;
      checked.resolve();
      await changed.promise;
    };
    const login = logIn(service, email).then((reply) => reply);
    await checked.promise;
    expect((await change(cookie, right())).status).toBe(204);
    changed.resolve();
    const { status, body, headers } = await login;
    expect([status, body.error.code, headers['set-cookie']]).toEqual([401, 'INVALID_CREDENTIALS', undefined]);
  });

  test('after simultaneous logins and a change, no session of the old password remains', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { email, cookie } = await anOwnerLoggedIn(service);
      const replies = await race(7, (worker) => (worker === 3 ? change(cookie, right()) : logIn(service, email)));
      expect(replies[3]?.status).toBe(204);
      const begun = replies.filter(({ status }) => status === 200).map(cookieOf);
      expect((await Promise.all([cookie, ...begun].map(isOpen))).filter(Boolean)).toEqual([]);
      expect(await isOpen(cookieOf(replies[3] as request.Response))).toBe(true);
    }
  });

  test('neither password is in the log', () => {
    const log = service.log.join('\n');
    expect(log).toContain(PATH);
    for (const secret of [PASSWORD, NEW]) expect(log).not.toContain(secret);
  });
});
