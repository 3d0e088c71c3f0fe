import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { eraseDueOwners } from '../../../application/accounts/erasure/erase-owner.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { race } from '../../contracts/adapters.ts';
import { aKeyHolder, type KeyHolder } from '../../harness/api-keys.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { cookieOf, logIn, NO_RATE_LIMITS, OWN_PAGE, PASSWORD } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const PATH = '/api/v1/owner/erasure';
const STATUS = '/api/v1/public/auth/status';
const NOTHING = { requested_at: null, erases_at: null, export_path: '/api/v1/owner/export' };

describe.each(STORAGES)('the erasure of an account on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    const env = { ...NO_RATE_LIMITS, LIMIT_COOLDOWN_SECONDS: '0', REAUTH_MINUTES: '10' };
    service = await openService(storage, { at: AT, env });
  });
  afterAll(() => service.close());

  const codeOf = ({ status, body }: request.Response) => [status, body.error?.code];
  const schedule = ({ headers }: Pick<KeyHolder, 'headers'>) => request(service.app).post(PATH).set(headers);
  const read = ({ headers }: Pick<KeyHolder, 'headers'>) => request(service.app).get(PATH).set(headers);
  const takeBack = ({ headers }: Pick<KeyHolder, 'headers'>) => request(service.app).delete(PATH).set(headers);
  const byKey = (api_key: string) => request(service.app).get(STATUS).set('x-api-key', api_key);
  const submit = (api_key: string) =>
    request(service.app).post('/api/v1/agent/decisions').set('x-api-key', api_key).send(aSubmission(AT));
  const again = async ({ email }: KeyHolder) => ({
    headers: { cookie: cookieOf(await logIn(service, email)), ...OWN_PAGE },
  });
  const kindsOf = async ({ owner_id }: KeyHolder) =>
    (await service.ports.securityEvents.list({ owner_id }, null, 50)).map(({ kind }) => kind);

  test('it is due in a week, is read as it was answered, and a second request changes nothing', async () => {
    const holder = await aKeyHolder(service);
    expect((await read(holder)).body).toEqual(NOTHING);
    const now = (await service.ports.clock.now()).getTime();
    const first = await schedule(holder);
    const [requested_at, erases_at] = [now, now + ERASURE.grace].map((at) => new Date(at).toISOString());
    expect([first.status, first.body]).toEqual([202, { ...NOTHING, requested_at, erases_at }]);
    await service.arrange.advance(MINUTE);
    const second = await schedule(holder);
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect((await read(holder)).body).toEqual(first.body);
    expect((await kindsOf(holder)).filter((kind) => kind === 'erasure_scheduled')).toHaveLength(1);
  });

  test('20 requests at once schedule it once', async () => {
    const holder = await aKeyHolder(service);
    const replies = await race(20, () => schedule(holder).then(({ status, body }) => [status, body.erases_at]));
    expect(new Set(replies.map(String)).size).toBe(1);
    expect(replies[0]).toEqual([202, expect.any(String)]);
    expect((await kindsOf(holder)).filter((kind) => kind === 'erasure_scheduled')).toHaveLength(1);
  });

  test('it needs a recent login, and the reply says how to log in again; taking it back needs none', async () => {
    const holder = await aKeyHolder(service);
    await service.arrange.advance(10 * MINUTE);
    const refused = await schedule(holder);
    expect(codeOf(refused)).toEqual([401, 'REAUTHENTICATION_REQUIRED']);
    expect(refused.body.error.suggestion).toContain('POST /api/v1/owner/auth/reauthenticate');
    expect((await read(holder)).body).toEqual(NOTHING);
    const confirmed = await request(service.app)
      .post('/api/v1/owner/auth/reauthenticate')
      .set(holder.headers)
      .send({ password: PASSWORD });
    const renewed = { headers: { cookie: cookieOf(confirmed), ...OWN_PAGE } };
    expect((await schedule(renewed)).status).toBe(202);
    await service.arrange.advance(HOUR);
    expect((await takeBack(renewed)).status).toBe(200);
  });

  test('a page of another site, a key and nobody schedule nothing', async () => {
    const holder = await aKeyHolder(service);
    const { api_key } = (await holder.create()).body;
    const { cookie } = holder.headers;
    const sent = [
      { cookie, 'sec-fetch-site': 'cross-site' },
      { 'x-api-key': api_key },
      { cookie: 'sid=unknown', ...OWN_PAGE },
    ];
    for (const headers of sent)
      expect([401, 403]).toContain((await request(service.app).post(PATH).set(headers)).status);
    expect((await read(holder)).body).toEqual(NOTHING);
    expect((await byKey(api_key)).status).toBe(200);
  });

  test('meanwhile keys are refused as revoked ones are and none is made; the owner logs in and exports', async () => {
    const holder = await aKeyHolder(service);
    const { api_key, key_prefix } = (await holder.create()).body;
    expect((await submit(api_key)).status).toBe(201);
    const revoked = (await holder.create()).body;
    await holder.revoke(revoked.key_prefix);
    await schedule(holder);
    const [stopped, before] = [await byKey(api_key), await byKey(revoked.api_key)];
    expect([codeOf(stopped), stopped.body.error.message]).toEqual([codeOf(before), before.body.error.message]);
    expect(codeOf(await submit(api_key))).toEqual([401, 'UNAUTHORIZED']);
    const refused = await holder.create();
    expect(codeOf(refused)).toEqual([409, 'ERASURE_SCHEDULED']);
    expect(refused.body.error.suggestion).toContain(`DELETE ${PATH}`);
    expect((await holder.rotate(key_prefix)).status).toBe(404);
    expect((await holder.list()).body.items).toEqual([]);
    await service.arrange.advance(MINUTE);
    const { headers } = await again(holder);
    const exported = await request(service.app).get('/api/v1/owner/export').set(headers);
    expect([exported.status, exported.text]).toEqual([200, expect.stringContaining('"record_id"')]);
  });

  test('it is taken back with the keys that it stopped and no other; then there is nothing to take back', async () => {
    const holder = await aKeyHolder(service);
    const [kept, revoked] = [(await holder.create()).body, (await holder.create()).body];
    await holder.revoke(revoked.key_prefix);
    await schedule(holder);
    await service.arrange.advance(ERASURE.grace - HOUR);
    const back = await again(holder);
    const taken = await takeBack(back);
    expect([taken.status, taken.body]).toEqual([200, { keys_restored: [kept.key_prefix] }]);
    expect([(await byKey(kept.api_key)).status, (await byKey(revoked.api_key)).status]).toEqual([200, 401]);
    expect((await read(back)).body).toEqual(NOTHING);
    const nothing = await takeBack(back);
    expect(codeOf(nothing)).toEqual([404, 'NOT_FOUND']);
    expect(nothing.body.error.suggestion).toBe('There is nothing to do: the account stays.');
    expect(await kindsOf(holder)).toEqual(expect.arrayContaining(['erasure_scheduled', 'erasure_taken_back']));
    await service.arrange.advance(2 * HOUR);
    await eraseDueOwners(service.ports);
    expect((await byKey(kept.api_key)).status).toBe(200);
  });

  test('after a week, and not before, sessions, keys and the password are those of nobody', async () => {
    const holder = await aKeyHolder(service);
    const { api_key } = (await holder.create()).body;
    const { record_id } = (await submit(api_key)).body;
    await schedule(holder);
    await service.arrange.advance(ERASURE.grace - SECOND);
    const session = await again(holder);
    await eraseDueOwners(service.ports);
    expect((await read(session)).status).toBe(200);
    await service.arrange.advance(SECOND);
    await eraseDueOwners(service.ports);
    for (const reply of [await read(session), await schedule(session), await takeBack(session), await byKey(api_key)])
      expect(codeOf(reply)).toEqual([401, 'UNAUTHORIZED']);
    expect(codeOf(await logIn(service, holder.email))).toEqual([401, 'INVALID_CREDENTIALS']);
    const [decision] = await service.ports.decisions.find([record_id], null);
    expect(decision).toMatchObject({ owner_id: holder.owner_id, salt: null });
    const audit = await service.ports.audit.about(holder.owner_id, 10);
    expect(audit.map(({ actor, action }) => [actor, action])).toEqual([
      [holder.owner_id, 'erase_records'],
      [holder.owner_id, 'delete_owner'],
    ]);
  });
});
