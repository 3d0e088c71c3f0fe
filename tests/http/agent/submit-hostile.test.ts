import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { isShown } from '../../../domain/shown-text.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:00:00.000Z');
const valid = aSubmission(AT);
const json = JSON.stringify(valid);
/** The body with one additional member, as raw text. */
const withMember = (member: string) => `${json.slice(0, -1)},${member}}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Strings that have broken other services. */
const STRINGS = [
  "'; drop table app.decisions; --",
  '$' + '{jndi:ldap://127.0.0.1/a}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '%s%n%x %00',
  '\\u0000',
  '\ufeff\u202e\u2066evil\u2069',
  '\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67',
  'Z\u0335\u0321a\u0334l\u0338g\u0337o',
  '\u0001\u001f\u007f\u0085',
  '{{7*7}}',
  '__proto__',
  'NaN',
  'null',
  '\r\nSet-Cookie: x=1',
  'ſtock İıß',
];

describe.each(STORAGES)('hostile submissions, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  beforeAll(async () => {
    const env = { LIMIT_COOLDOWN_SECONDS: '0', LIMIT_SUBMITS_PER_HOUR: '10000' };
    service = await openService(storage, { at: AT, env });
    agent = await anAgentAt(service);
  });
  afterAll(() => service.close());

  test.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['half a document', '{"market":'],
    ['two documents', `${json}${json}`],
    ['NaN', withMember('"confidence":NaN')],
    ['a NUL', withMember('"summary":"a\\u0000b"')],
    ['a NUL in a name', withMember('"meta":{"a\\u0000":1}')],
    ['half a surrogate pair', withMember('"summary":"\\ud800"')],
    ['half a pair in a name', withMember('"meta":{"\\udc00":1}')],
    ['a member twice', withMember('"market":"stock"')],
    ['a member twice, escaped', withMember('"m\\u0061rket":"stock"')],
    ['a member twice, deep', withMember('"meta":{"a":1,"a":2}')],
    ['__proto__', withMember('"__proto__":{"confidence":1}')],
    ['__proto__, deep', withMember('"meta":{"__proto__":{}}')],
    ['33 levels', withMember(`"meta":{"a":${nested(32)}}`)],
    ['a number beyond a double', withMember('"confidence":1e400')],
    ['a number beyond a double, deep', withMember('"meta":{"n":[-1e400]}')],
    ['10,000 levels', withMember(`"meta":{"a":${nested(10_000)}}`)],
  ])('400 MALFORMED_BODY for %s', async (_, body) => {
    const reply = await agent.submit(body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'MALFORMED_BODY']);
  });

  test.each(['[]', '"text"', '7', 'null', 'true'])('400 for %s, which is no object', async (body) => {
    const reply = await agent.submit(body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  test.each([
    ['"reference_price":-1e308', 422],
    ['"reference_price":1e-400', 422],
    ['"reference_price":1e300', 422],
    ['"meta":{"n":123456789012345678901234567890}', 201],
    ['"service_interaction":{"consulted":true,"wisdom_queries":99999999999999999999}', 422],
    ['"meta":{"":{"":[]}}', 201],
    ['"meta":{"toString":1,"hasOwnProperty":2,"constructor":{"prototype":{}}}', 201],
    ['"meta":{"toJSON":"x"}', 201],
  ])('%s: %i', async (member, expected) => {
    const reply = await agent.submit(withMember(member));
    expect([reply.status, reply.body.error?.message]).toEqual([
      expected,
      expected === 201 ? undefined : expect.any(String),
    ]);
  });

  test('no string in any field causes a fault, and each is returned unchanged or refused for what it hides', async () => {
    for (const string of STRINGS) {
      for (const field of Object.keys(valid)) {
        const { status } = await agent.submit({ ...valid, [field]: string });
        if (![201, 400, 422].includes(status)) throw new Error(`${field} ${JSON.stringify(string)}: ${status}`);
      }
      const free = { summary: string, tags: [string.slice(0, 40)], meta: { said: string }, key_factors: [string] };
      const { status, body } = await agent.submit({ ...valid, ...free });
      if (!isShown(string)) {
        const paths = body.error.details.map(({ path }: { readonly path: string }) => path);
        expect([status, paths.toSorted()]).toEqual([422, ['key_factors.0', 'summary', 'tags.0']]);
        continue;
      }
      expect([string, status, body.error?.message]).toEqual([string, 201, undefined]);
      const { key_factors: _, ...verbatim } = free;
      expect((await agent.read(body.record_id)).body).toMatchObject(verbatim);
    }
  });

  test('64 KiB are accepted, one byte more is 413', async () => {
    const padded = (length: number) => json + ' '.repeat(length - json.length);
    expect((await agent.submit(padded(65_536))).status).toBe(201);
    const reply = await agent.submit(padded(65_537));
    expect([reply.status, reply.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'multipart/form-data',
  ])('415 for %s', async (type) => {
    const reply = await agent.submit(json).set('Content-Type', type);
    expect([reply.status, reply.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each(['gzip', 'br'])('415 for a body encoded with %s', async (encoding) => {
    expect((await agent.submit(json, { 'Content-Encoding': encoding })).status).toBe(415);
  });

  test.each([
    ['unknown members', (room: number) => withMember(repeated(room, (i) => `"${i.toString(36)}":0`))],
    ['unknown factors', (room: number) => dependsOn(repeated(room, (i) => `"${i}"`))],
    ['NULs under a long name', (room: number) => withNuls(room)],
  ])(
    'a reply to a great many %s is less than twice as large as the request, and reports the first 200',
    async (_, bodyOf) => {
      const sent = bodyOf(60_000);
      const reply = await agent.submit(sent);
      expect([400, 422]).toContain(reply.status);
      expect(reply.body.error.details).toHaveLength(200);
      expect(reply.text.length).toBeLessThan(2 * sent.length);
    },
  );

  test.each([
    'dec_20170605_5c0ffee',
    'dec_20170605_5C0FFEE5',
    'dec_20170605_5c0ffee5%0a',
    'dec_20170605_5c0ffee5%00',
    '%27or%271%27=%271',
    'dec_20170605_5c0ffee5%20',
    '%F0%28%8C%28',
  ])('400 for the record id %s', async (record_id) => {
    for (const path of [`/api/v1/agent/decisions/${record_id}`, `/api/v1/agent/decisions/${record_id}/state`]) {
      const reply = await agent.get(path);
      expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    for (const path of [`/api/v1/public/decisions/${record_id}`, `/api/v1/public/decisions/${record_id}/state`]) {
      expect((await request(service.app).get(path)).status).toBe(400);
    }
  });

  test.each([
    '?validate_only=1',
    '?validate_only=TRUE',
    '?validate_only=',
    '?validate_only',
    '?validate_only=true&validate_only=true',
    '?validate=true',
    '?validate_only=%00',
  ])('400 for the query %s', async (query) => {
    const reply = await request(service.app)
      .post(`/api/v1/agent/decisions${query}`)
      .set('X-API-Key', agent.api_key)
      .send(valid);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

/** As many items as fit into the bytes. */
function repeated(room: number, member: (index: number) => string): string {
  let members = member(0);
  for (let index = 1; members.length < room; index += 1) members += `,${member(index)}`;
  return members;
}

function dependsOn(ids: string): string {
  return withMember(`"key_factors":[{"factor":"x","depends_on":[${ids}]}]`);
}

function withNuls(room: number): string {
  return withMember(
    `"meta":{"${'x'.repeat(room / 2)}":[${Array(Math.floor(room / 20))
      .fill('"\\u0000"')
      .join()}]}`,
  );
}
