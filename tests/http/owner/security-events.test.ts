import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { resetPassword } from '../../../application/accounts/operators/reset-access.ts';
import { LOGIN as LOGIN_LIMITS } from '../../../domain/limits.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import {
  anOwnerLoggedIn,
  cookieOf,
  LOGIN,
  LOGOUT,
  logIn,
  NO_RATE_LIMITS,
  OWN_PAGE,
  PASSWORD,
} from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const OWN = '/api/v1/owner/security-events';
const ALL = '/api/v1/admin/security-events';
const REGISTER = '/api/v1/public/auth/register';
const KEYS = '/api/v1/owner/auth/api-keys';
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };

interface Event {
  readonly kind: string;
  readonly result: string;
  readonly count: number;
  readonly subject: string | null;
  readonly [member: string]: unknown;
}

describe.each(STORAGES)('security events on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { ...NO_RATE_LIMITS, TRUST_PROXY: '1' } });
  });
  beforeEach(() => service.arrange.advance(DAY));
  afterAll(() => service.close());

  const list = async (cookie: string, path = OWN) => {
    const { status, body } = await request(service.app).get(path).set({ cookie });
    expect(status).toBe(200);
    return body as { readonly items: readonly Event[]; readonly next_cursor: string | null };
  };
  const namesOf = (items: readonly Event[]) => items.map(({ kind, result, count }) => [kind, result, count].join(' '));
  const guess = (email: string, headers: Readonly<Record<string, string>> = {}) =>
    request(service.app).post(LOGIN).set(headers).send({ email, password: 'wrong' });

  async function anAdmin(): Promise<string> {
    const { email } = await anOwnerLoggedIn(service);
    await changeRole(service.operators, email, 'admin', 'ada (test)');
    return cookieOf(await logIn(service, email));
  }

  test('an owner sees their own, the newest first, page by page, and nobody else sees them', async () => {
    const [{ email, cookie }, other] = [await anOwnerLoggedIn(service), await anOwnerLoggedIn(service)];
    await guess(email);
    await guess(email.toUpperCase());
    const mine = { cookie, ...OWN_PAGE };
    const { body: key } = await request(service.app).post(KEYS).set(mine).send({ label: 'desk' });
    const path = `${KEYS}/${key.key_prefix}`;
    await request(service.app).patch(path).set(mine).send({ permission_mode: 'read_only' });
    const { body: next } = await request(service.app).post(`${path}/rotate`).set(mine);
    await request(service.app).delete(`${KEYS}/${next.key_prefix}`).set(mine);
    const { items } = await list(cookie);
    expect(namesOf(items)).toEqual([
      'key_revoked success 1',
      'key_created success 1',
      'key_rotated success 1',
      'key_changed success 1',
      'key_created success 1',
      'login failure 2',
      'login success 1',
      'registration success 1',
    ]);
    expect(items.map(({ subject }) => subject).slice(0, 5)).toEqual([
      ...[next.key_prefix, next.key_prefix, key.key_prefix, key.key_prefix, key.key_prefix],
    ]);
    const paged: Event[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(cookie, `${OWN}?limit=3${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(items);
    expect(namesOf((await list(cookie, `${OWN}?kind=login&result=failure`)).items)).toEqual(['login failure 2']);
    expect(namesOf((await list(other.cookie)).items)).toEqual(['login success 1', 'registration success 1']);
    const { next_cursor } = await list(cookie, `${OWN}?limit=3`);
    const foreign = await request(service.app)
      .get(`${OWN}?limit=3&cursor=${next_cursor}`)
      .set({ cookie: other.cookie });
    expect([foreign.status, foreign.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test('each has the request, the kind of client and a hash of the network, and neither address nor email', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const from = (address: string, id: string) => ({ 'x-forwarded-for': address, 'x-request-id': id });
    await guess(email, { ...from('198.51.100.7', 'first'), ...BROWSER });
    await guess(email, { ...from('198.51.100.99', 'second'), ...BROWSER });
    await guess(email, { ...from('198.51.101.7', 'third'), 'user-agent': 'python-requests/2.32' });
    await guess(email, { ...from('2001:db8::1', 'fourth'), 'user-agent': 'curl/8.5.0' });
    const { items } = await list(cookie, `${OWN}?result=failure`);
    expect(items.map(({ request_id, client, count }) => [request_id, client, count])).toEqual([
      ['fourth', 'curl', 1],
      ['third', 'python', 1],
      ['first', 'browser', 2],
    ]);
    const networks = items.map(({ network }) => String(network));
    expect(new Set(networks).size).toBe(3);
    for (const network of networks) expect(network).toMatch(/^[0-9a-f]{16}$/);
    const text = JSON.stringify(items);
    for (const secret of ['198.51', '2001:db8', email, 'Mozilla', '8.5.0']) expect(text).not.toContain(secret);
  });

  test('logout, a changed password, a wrong current one and an operator’s reset are events; the operator is not named', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const put = (current_password: string) =>
      request(service.app)
        .put('/api/v1/owner/password')
        .set({ cookie, ...OWN_PAGE })
        .send({ current_password, new_password: 'five other words, spaced alike' });
    await put('wrong');
    const changed = await put(PASSWORD);
    await request(service.app)
      .post(LOGOUT)
      .set({ cookie: cookieOf(changed), ...OWN_PAGE });
    const ports = { ...service.operators, owners: service.ports.owners, passwords: service.ports.passwords };
    await resetPassword(ports, email, PASSWORD, 'ada (test)');
    await service.arrange.advance(MINUTE);
    const { items } = await list(cookieOf(await logIn(service, email)));
    expect(namesOf(items)).toEqual([
      'login success 1',
      'password_reset success 1',
      'logout success 1',
      'password_changed success 1',
      'password_changed failure 1',
      'login success 1',
      'registration success 1',
    ]);
    expect(items.map(({ by_operator }) => by_operator)).toEqual([false, true, false, false, false, false, false]);
    expect(JSON.stringify(items)).not.toContain('ada (test)');
  });

  test('a lockout is an event of the account, and of nobody for an unknown email', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    for (let each = 0; each <= LOGIN_LIMITS.attempts; each += 1) await guess(email);
    expect(namesOf((await list(cookie, `${OWN}?result=failure`)).items)).toEqual([
      'lockout failure 1',
      `login failure ${LOGIN_LIMITS.attempts}`,
    ]);
    const unknown = `nobody-${email}`;
    await service.arrange.advance(DAY);
    const since = (await service.ports.clock.now()).toISOString();
    for (let each = 0; each <= LOGIN_LIMITS.attempts; each += 1) await guess(unknown);
    await request(service.app).post(REGISTER).send({ email, password: PASSWORD });
    const { items } = await list(await anAdmin(), `${ALL}?result=failure&since=${since}`);
    expect(items.map(({ kind, owner_id, count }) => [kind, owner_id, count])).toEqual([
      ['registration', null, 1],
      ['lockout', null, 1],
      ['login', null, LOGIN_LIMITS.attempts],
    ]);
    expect(JSON.stringify(items)).not.toContain(email);
  });

  test('refused calls of the admin area are events, of the caller where one is known', async () => {
    const { owner_id, cookie } = await anOwnerLoggedIn(service);
    const refused = await request(service.app).get(ALL).set({ cookie });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'ADMIN_REQUIRED']);
    await request(service.app).get('/api/v1/admin/no-such-path');
    const admin = await anAdmin();
    const { items } = await list(admin, `${ALL}?kind=admin_call`);
    expect(items.slice(0, 2).map((item) => [item.result, item.owner_id, item.actor])).toEqual([
      ['failure', null, null],
      ['failure', owner_id, null],
    ]);
    const { items: changes } = await list(admin, `${ALL}?kind=role_changed&limit=1`);
    expect(changes).toMatchObject([{ actor: 'ada (test)', subject: 'admin', client: 'command_line', network: null }]);
    expect((await list(admin, `${ALL}?owner_id=${owner_id}`)).items.map(({ kind }) => kind)).toEqual([
      'admin_call',
      'login',
      'registration',
    ]);
  });
});
