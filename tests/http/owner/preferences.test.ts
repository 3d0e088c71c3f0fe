import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { race } from '../../contracts/adapters.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, NO_RATE_LIMITS, OWN_PAGE } from '../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const PATH = '/api/v1/owner/preferences';

describe.each(STORAGES)('preferences on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, {
      at: AT,
      env: NO_RATE_LIMITS,
    });
  });
  afterAll(() => service.close());

  const put = (cookie: string, body: unknown) =>
    request(service.app)
      .put(PATH)
      .set({ cookie, ...OWN_PAGE, 'content-type': 'application/json' })
      .send(typeof body === 'string' ? body : JSON.stringify(body));

  test('200 returns the merged preferences; null removes one, {} changes none', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const first = {
      display_name: ' Ada ',
      timezone: 'Europe/Berlin',
      locale: 'en-GB',
      notify: { mail: { daily: true } },
    };
    const { status, body } = await put(cookie, { ...first, default_workflow_visibility: 'private' });
    expect([status, body]).toEqual([200, { ...first, display_name: 'Ada', default_workflow_visibility: 'private' }]);
    const change = {
      timezone: null,
      default_workflow_visibility: 'public',
      notify: { mail: { daily: null, weekly: 1 } },
    };
    const merged = {
      display_name: 'Ada',
      locale: 'en-GB',
      default_workflow_visibility: 'public',
      notify: { mail: { weekly: 1 } },
    };
    expect((await put(cookie, change)).body).toEqual(merged);
    expect((await put(cookie, {})).body).toEqual(merged);
    expect((await put((await anOwnerLoggedIn(service)).cookie, {})).body).toEqual({});
  });

  test('20 merges at once lose nothing', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const replies = await race(20, (worker) => put(cookie, { notify: { [`channel ${worker}`]: { on: true } } }));
    expect(replies.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(Object.keys((await put(cookie, {})).body.notify)).toHaveLength(20);
  });

  test.each([
    [{ timezone: 'Mars/Phobos' }, 'timezone'],
    [{ timezone: '+01:00' }, 'timezone'],
    [{ timezone: 'x'.repeat(65) }, 'timezone'],
    [{ locale: 'en_GB' }, 'locale'],
    [{ locale: `en-${'abcdefgh-'.repeat(5)}x` }, 'locale'],
    [{ display_name: '   ' }, 'display_name'],
    [{ display_name: 'x'.repeat(81) }, 'display_name'],
    [{ default_workflow_visibility: 'secret' }, 'default_workflow_visibility'],
    [{ notify: [] }, 'notify'],
    [{ notify: 'yes' }, 'notify'],
    [{ theme: 'dark' }, 'theme'],
    [{ constructor: {} }, 'constructor'],
  ])('400 VALIDATION_ERROR for %j, and nothing is stored', async (body, path) => {
    const { cookie } = await anOwnerLoggedIn(service);
    const reply = await put(cookie, { locale: 'de', ...body });
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(reply.body.error.details).toMatchObject([{ path }]);
    expect((await put(cookie, {})).body).toEqual({});
  });

  test.each(['[]', 'null', '"x"', '1'])('400 for the body %s', async (body) => {
    const { cookie } = await anOwnerLoggedIn(service);
    expect((await put(cookie, body)).status).toBe(400);
  });

  test('400 when the merged preferences would exceed 8 KiB, and the stored ones stay', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    for (const name of ['a', 'b', 'c']) {
      expect((await put(cookie, { notify: { [name]: 'x'.repeat(2_500) } })).status).toBe(200);
    }
    const { status, body } = await put(cookie, { notify: { d: 'x'.repeat(2_500) } });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.message).toContain('8192');
    expect(Object.keys((await put(cookie, {})).body.notify)).toEqual(['a', 'b', 'c']);
    expect((await put(cookie, { notify: { a: null, d: 'x'.repeat(2_500) } })).status).toBe(200);
  });

  test('names of prototypes are stored as data in notify or refused; they change nothing else', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const sent =
      '{"notify":{"constructor":{"prototype":{"polluted":true}},"hasOwnProperty":1,"toString":{"a":[null]}}}';
    const { status, body } = await put(cookie, sent);
    expect([status, body]).toEqual([200, JSON.parse(sent)]);
    const forbidden = await put(cookie, '{"notify":{"__proto__":{"polluted":true}}}');
    expect([forbidden.status, forbidden.body.error.code]).toEqual([400, 'MALFORMED_BODY']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((await put(cookie, {})).body).toEqual(JSON.parse(sent));
  });

  test('400 for values that cannot be stored, including numbers and depths beyond the limits', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    for (const text of ['{"notify":{"a":"\\u0000"}}', '{"notify":{"a":"\\ud800"}}', '{"notify":{"a":1e999}}']) {
      expect((await put(cookie, text)).status).toBe(400);
    }
    const nested = (levels: number) => `{"notify":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
    expect([(await put(cookie, nested(31))).status, (await put(cookie, nested(32))).status]).toEqual([200, 400]);
    const edge = await put(cookie, '{"notify":{"a":1.7976931348623157e308,"b":5e-324,"c":-0.1}}');
    expect([edge.status, (await put(cookie, {})).body.notify]).toEqual([200, edge.body.notify]);
  });

  test('only owners: 401 without a credential, 403 for a key', async () => {
    const { api_key } = await anAgentAt(service);
    expect((await request(service.app).put(PATH).send({})).status).toBe(401);
    expect((await request(service.app).put(PATH).set('x-api-key', api_key).send({})).status).toBe(403);
  });
});
