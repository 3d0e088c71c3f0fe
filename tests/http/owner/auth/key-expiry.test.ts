import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY } from '../../../../domain/time.ts';
import { aSubmission } from '../../../builders/decisions.ts';
import { aKeyHolder, type KeyHolder } from '../../../harness/api-keys.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { cookieOf, logIn, OWN_PAGE } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/public/auth/status';
const plus = (millis: number, from = AT) => new Date(from.getTime() + millis).toISOString();

describe.each(STORAGES)('the expiry of API keys on %s', (storage) => {
  let service: TestService;
  let now: Date;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  beforeEach(async () => {
    await service.arrange.advance(DAY);
    now = await service.ports.clock.now();
  });
  afterAll(() => service.close());

  const withKey = (api_key: string, path = STATUS) => request(service.app).get(path).set('X-API-Key', api_key);
  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const expiringKeys = async ({ headers }: KeyHolder) =>
    (await request(service.app).get('/api/v1/owner/dashboard').set(headers)).body.expiring_keys;

  test('a key works until it expires; then the reply says so and what to do', async () => {
    const holder = await aKeyHolder(service);
    const { status, body } = await holder.create({ expires_at: plus(1_000, now) });
    expect([status, body.expires_at]).toEqual([201, plus(1_000, now)]);
    expect((await holder.list()).body.items[0].expires_at).toBe(plus(1_000, now));
    expect((await withKey(body.api_key)).status).toBe(200);
    await service.arrange.advance(1_000);
    const refused = await withKey(body.api_key);
    expect(codeOf(refused)).toEqual([401, 'KEY_EXPIRED']);
    expect(refused.body.error).toMatchObject({ suggestion: expect.stringContaining('rotate') });
    expect(refused.headers['www-authenticate']).toBeDefined();
    const submitted = request(service.app).post('/api/v1/agent/decisions').set('X-API-Key', body.api_key);
    expect(codeOf(await submitted.send(aSubmission(now)))).toEqual([401, 'KEY_EXPIRED']);
    expect(codeOf(await withKey(body.api_key, '/api/v1/owner/dashboard'))).toEqual([401, 'UNAUTHORIZED']);
    expect(codeOf(await withKey(body.api_key, '/api/v1/admin/stablecoin'))).toEqual([403, 'ADMIN_REQUIRED']);
  });

  test.each([
    ['in the past', -1],
    ['now', 0],
    ['more than 366 days ahead', 366 * DAY + 1],
  ])('400 for an expiry %s, and no key is made', async (_, life) => {
    const holder = await aKeyHolder(service);
    const reply = await holder.create({ expires_at: plus(life, now) });
    expect(codeOf(reply)).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path: 'expires_at', received: plus(life, now) }]);
    expect((await holder.list()).body.items).toEqual([]);
  });

  test('a rotation renews the length of life, also of a key that has expired', async () => {
    const holder = await aKeyHolder(service);
    const first = (await holder.create({ expires_at: plus(30 * DAY, now) })).body;
    await service.arrange.advance(40 * DAY);
    const { owner_id, headers } = await laterSession(holder);
    expect(owner_id).toBe(holder.owner_id);
    const rotate = request(service.app).post(`/api/v1/owner/auth/api-keys/${first.key_prefix}/rotate`).set(headers);
    const { status, body } = await rotate;
    expect([status, body.expires_at]).toEqual([200, plus(70 * DAY, now)]);
    expect((await withKey(body.api_key)).status).toBe(200);
  });

  test('the dashboard lists the keys that expire within 14 days, the next one first', async () => {
    const holder = await aKeyHolder(service);
    const made = async (days: number) =>
      (await holder.create({ label: `in ${days} days`, expires_at: plus(days * DAY, now) })).body.key_prefix;
    const [third, first, second] = [await made(15), await made(0.5), await made(14)];
    await holder.create({ label: 'for ever' });
    const shown = (key_prefix: string, days: number) => ({
      key_prefix,
      label: `in ${days} days`,
      expires_at: plus(days * DAY, now),
    });
    expect(await expiringKeys(holder)).toEqual([shown(first, 0.5), shown(second, 14)]);
    await service.arrange.advance(DAY);
    const later = await laterSession(holder);
    expect(await expiringKeys({ ...holder, ...later })).toEqual([shown(second, 14), shown(third, 15)]);
  });

  test('the trail notes the use of an expired key, with its prefix; the audit log has the expiry', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix, agent_id } = (await holder.create({ expires_at: plus(1_000, now) })).body;
    await service.arrange.advance(1_000);
    await withKey(api_key);
    await withKey(api_key);
    const events = await request(service.app).get('/api/v1/owner/security-events?kind=key_refused').set(holder.headers);
    expect(events.body.items).toMatchObject([{ result: 'failure', subject: key_prefix, count: 2 }]);
    expect((await service.ports.audit.about(key_prefix, 1))[0]?.detail).toEqual({
      agent_id,
      permission_mode: 'read_write',
      expires_at: plus(1_000, now),
    });
  });

  /** The session of before is over. */
  async function laterSession({ email, owner_id }: KeyHolder) {
    const cookie = cookieOf(await logIn(service, email));
    return { owner_id, headers: { cookie, ...OWN_PAGE } };
  }
});
