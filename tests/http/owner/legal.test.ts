import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { race } from '../../contracts/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const STATUS = '/api/v1/owner/legal-status';
const ACCEPT = '/api/v1/owner/legal-acceptance';
const CURRENT = { terms_version: '2.0', privacy_version: '1.1' };

describe.each(STORAGES)('legal terms on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: { ...NO_RATE_LIMITS, LEGAL_TERMS: '1.0,2.0', LEGAL_PRIVACY: '1.0,1.1' },
    });
  });
  afterAll(() => service.close());

  const status = (cookie: string) => request(service.app).get(STATUS).set({ cookie });
  const accept = (cookie: string, body: object) =>
    request(service.app).post(ACCEPT).set({ cookie }).set(OWN_PAGE).send(body);

  test('nothing is accepted at first; later the status has the owner’s own acceptance with its time', async () => {
    const [{ cookie }, { cookie: foreign }] = [await anOwnerLoggedIn(service), await anOwnerLoggedIn(service)];
    expect((await status(cookie)).body).toEqual({ accepted: null, current: CURRENT, up_to_date: false });
    const reply = await accept(cookie, { ...CURRENT, source: ' dashboard ' });
    const accepted = { ...CURRENT, source: 'dashboard', accepted_at: AT.toISOString() };
    expect([reply.status, reply.body]).toEqual([200, { accepted, current: CURRENT, up_to_date: true }]);
    expect((await status(cookie)).body).toEqual(reply.body);
    expect((await status(foreign)).body.accepted).toBeNull();
  });

  test('an older version can be accepted and is not up to date; the last acceptance counts', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const old = await accept(cookie, { terms_version: '1.0', privacy_version: '1.1', source: 'cli' });
    expect([old.status, old.body.up_to_date]).toEqual([200, false]);
    expect((await accept(cookie, { ...CURRENT, source: 'cli' })).body.up_to_date).toBe(true);
    expect((await status(cookie)).body.accepted.source).toBe('cli');
  });

  test('accepting at the same millisecond again, and 10 times at once, is no fault', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const replies = await race(10, () => accept(cookie, { ...CURRENT, source: 'twice' }));
    expect(replies.map((reply) => reply.status)).toEqual(Array(10).fill(200));
  });

  test.each([
    [{ ...CURRENT, terms_version: '3.0', source: 'x' }, ['terms_version']],
    [{ terms_version: '', privacy_version: '2.0', source: 'x' }, ['terms_version', 'privacy_version']],
  ])('400 UNKNOWN_LEGAL_VERSION for %j, naming what there is', async (body, paths) => {
    const { cookie } = await anOwnerLoggedIn(service);
    const reply = await accept(cookie, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'UNKNOWN_LEGAL_VERSION']);
    expect(reply.body.error.details.map(({ path }: { path: string }) => path)).toEqual(paths);
    expect(reply.body.error.details[0].message).toContain('1.0, 2.0');
    expect((await status(cookie)).body.accepted).toBeNull();
  });

  test.each([
    [CURRENT, 'source'],
    [{ ...CURRENT, source: '  ' }, 'source'],
    [{ ...CURRENT, source: 'x'.repeat(41) }, 'source'],
    [{ privacy_version: '1.1', source: 'x' }, 'terms_version'],
    [{ ...CURRENT, terms_version: 2, source: 'x' }, 'terms_version'],
    [{ ...CURRENT, source: 'x', accepted_at: AT }, 'accepted_at'],
  ])('400 VALIDATION_ERROR for %j', async (body, path) => {
    const { cookie } = await anOwnerLoggedIn(service);
    const reply = await accept(cookie, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
  });

  test('only owners: 401 without a credential, 403 for a key', async () => {
    const { api_key } = await anAgentAt(service);
    expect((await request(service.app).get(STATUS)).status).toBe(401);
    expect((await request(service.app).get(STATUS).set('x-api-key', api_key)).status).toBe(403);
    expect((await request(service.app).post(ACCEPT).set('x-api-key', api_key).send({})).status).toBe(403);
  });
});
